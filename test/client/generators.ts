/** Generators other than the one of `npm run client`, and a linter, which read `<address>.json` in a folder. */
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Address } from '../../kernel/contract/route-spec.ts';
import { generatorNamed, generatorProgram } from './install.ts';

const run = promisify(execFile);

interface HeyApi {
  createClient(configs: readonly object[]): Promise<unknown>;
}

/** Returns what `redocly lint` prints by its strict rules, which count warnings as errors. */
export async function lint(folder: string, files: readonly string[]): Promise<string> {
  const { stdout, stderr } = await run(
    await generatorProgram('redocly'),
    ['lint', ...files, '--extends', 'recommended-strict'],
    {
      cwd: folder,
      env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
    },
  ).catch((error: { stdout: string; stderr: string }) => error);
  return `${stdout}${stderr}`;
}

/** Writes a client of hey-api into `hey-api/<address>` for each address. */
export async function writeHeyApi(folder: string, addresses: readonly Address[]): Promise<void> {
  const { createClient } = await generatorNamed<HeyApi>('@hey-api/openapi-ts');
  await createClient(
    addresses.map((address) => ({
      input: join(folder, `${address}.json`),
      output: join(folder, 'hey-api', address),
      logs: { level: 'silent' },
      plugins: ['@hey-api/client-fetch', '@hey-api/typescript', '@hey-api/sdk'],
    })),
  );
}

/** Writes a client of orval into `orval/<address>` for each address; its types are in `model`, each in a file. */
export async function writeOrval(folder: string, addresses: readonly Address[]): Promise<void> {
  const projects = addresses.map((address) => {
    const output = { target: `orval/${address}/client.ts`, schemas: `orval/${address}/model`, client: 'fetch' };
    return [address, { input: { target: `${address}.json` }, output }];
  });
  const config = 'orval.config.cjs';
  writeFileSync(join(folder, config), `module.exports = ${JSON.stringify(Object.fromEntries(projects))}`);
  await run(await generatorProgram('orval'), ['--config', config], { cwd: folder });
}
