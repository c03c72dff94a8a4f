/**
 * Tells how the API differs from that of the last release: `npm run changes`, which CI runs. At a release,
 * `npm run changes -- --release` records the API in `test/fixtures/openapi/released.json`. The first record is younger
 * than 0.1.0.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { projectDir } from '../../kernel/kit/files/project-dir.ts';
import type { Address } from '../../kernel/contract/route-spec.ts';
import { changesBetween, type Change } from '../support/api-changes.ts';
import { surfaceOf, type Description, type Surface } from '../support/api-surface.ts';
import { TestServer } from '../support/hostkeep.ts';
import { descriptionOf } from './generate.ts';

type Surfaces = Readonly<Record<Address, Surface>>;
const FILE = join(projectDir, 'test/fixtures/openapi/released.json');

export const released = (): Surfaces => JSON.parse(readFileSync(FILE, 'utf8')) as Surfaces;

export async function present(server: TestServer): Promise<Surfaces> {
  const surface = async (address: Address) =>
    surfaceOf((await descriptionOf(server, address)) as unknown as Description);
  return { user: await surface('user'), admin: await surface('admin') };
}

/** Changes of both addresses; what both have in common is told once. */
export function changesSince(old: Surfaces, now: Surfaces): Change[] {
  const changes = [...changesBetween(old.user, now.user), ...changesBetween(old.admin, now.admin)];
  return [...new Map(changes.map((each) => [`${each.where} ${each.what}`, each])).values()];
}

/** One operation a line, so that a diff of the file shows operations. */
function written({ user, admin }: Surfaces): string {
  const surface = ({ schemas, operations }: Surface) => {
    const lines = Object.entries(operations).map(
      ([name, each]) => `    ${JSON.stringify(name)}: ${JSON.stringify(each)}`,
    );
    return `{\n  "schemas": ${JSON.stringify(schemas)},\n  "operations": {\n${lines.join(',\n')}\n  }\n}`;
  };
  return `{\n"user": ${surface(user)},\n"admin": ${surface(admin)}\n}\n`;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const server = await TestServer.start();
  const now = await present(server);
  await server.close();
  if (process.argv.includes('--release')) writeFileSync(FILE, written(now));
  const changes = changesSince(released(), now);
  for (const { where, what, isBreaking } of changes)
    console.log(`${isBreaking ? 'BREAKS  ' : '        '}${where}: ${what}`);
  console.log(`${changes.length} changes of the API since the last release`);
}
