/**
 * TypeScript types of the API, made from its own description. `npm run client -- <folder>` writes `user.ts` and
 * `admin.ts`, one for each address; without a folder, into `dist/client`.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { projectDir } from '../../kernel/kit/files/project-dir.ts';
import type { Address } from '../../kernel/contract/route-spec.ts';
import { TestServer } from '../support/hostkeep.ts';
import { generatorNamed } from './install.ts';

/** `openapi-typescript`, as far as it is used here: what `npm ci` installs does not hold it. */
interface Generator {
  default(description: Description): Promise<unknown>;
  astToString(nodes: unknown): string;
}

export type Description = Readonly<Record<string, unknown>>;

/** What an address tells of itself to an account with every feature, or to an administrator. */
export async function descriptionOf(server: TestServer, address: Address): Promise<Description> {
  const { token } = address === 'user' ? await server.user('everything') : await server.admin('administrator');
  return (await server.ask<Description>('/openapi.json', { address, token })).body;
}

/** Writes `<address>.ts` into the folder and returns its path. */
export async function writeTypes(folder: string, address: Address, description: Description): Promise<string> {
  const file = join(folder, `${address}.ts`);
  const generator = await generatorNamed<Generator>('openapi-typescript');
  const nodes = await generator.default(description);
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    file,
    `/** Made by \`npm run client\` from Hostkeep's description of its ${address} address. */\n${generator.astToString(nodes)}`,
  );
  return file;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const server = await TestServer.start();
  for (const address of ['user', 'admin'] as const)
    console.log(
      await writeTypes(
        resolve(process.argv[2] ?? join(projectDir, 'dist/client')),
        address,
        await descriptionOf(server, address),
      ),
    );
  await server.close();
}
