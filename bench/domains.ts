/**
 * What domains cost: `npm run build && node dist/bench/domains.js`. Reads against a bare handler that writes the same
 * bytes, and a domain added against a bare durable insert into the same file, all turn by turn.
 */
import { additions } from './support/additions.ts';
import { describeLoad, interleaved } from './support/load.ts';
import {
  coreOf,
  machineText,
  startBare,
  startHostkeep,
  temporaryFolder,
  tokenFor,
  type Running,
} from './support/processes.ts';

const PATHS = ['/api/domains', '/api/docker_domains', '/api/dashboard'];
const DOMAINS = 10;

async function reads(server: Running, token: string): Promise<void> {
  const bares = await Promise.all(
    PATHS.map(async (path) => {
      const response = await fetch(server.url + path, { headers: { authorization: `Bearer ${token}` } });
      return startBare(path, token, await response.text());
    }),
  );
  const targets = PATHS.flatMap((path, i) => [
    { name: `bare ${path}`, url: (bares[i]?.url ?? '') + path, token },
    { name: `Hostkeep ${path}`, url: server.url + path, token },
  ]);
  const results = await interleaved(targets, { rounds: 3, seconds: 1 });
  for (const [name, result] of results) console.log(`  ${describeLoad(name, result)}`);
  for (const path of PATHS)
    console.log(
      `  ${path}: Hostkeep / bare ${((results.get(`Hostkeep ${path}`)?.requestsPerSecond ?? 0) / (results.get(`bare ${path}`)?.requestsPerSecond ?? 0)).toFixed(2)}`,
    );
  for (const bare of bares) await bare.stop();
}

console.log(`Domains bench: ${machineText()}`);
const data = temporaryFolder();
const core = await coreOf(data);
const token = await tokenFor(
  core,
  await core.accounts.create({ username: 'bench', role: 'user', plan: 'developer', passwordHash: '' }),
);
const server = await startHostkeep(data);
await additions(server, data, token, DOMAINS);
await reads(server, token);
const { apiMs, bareMs } = await additions(server, data, token);
console.log(
  `  domain added p50 ${apiMs.toFixed(2)} ms, bare durable insert p50 ${bareMs.toFixed(2)} ms, ratio ${(apiMs / bareMs).toFixed(2)}`,
);
await server.stop();
await core.close();
