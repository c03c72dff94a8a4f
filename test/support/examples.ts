/**
 * Records what the demo answers to every GET that needs no parameters, as the examples of the description:
 * `node dist/test/support/examples.js`. What belongs to the machine or is a secret is replaced, long lists are cut.
 */
import { writeFileSync } from 'node:fs';
import { version } from 'node:os';
import { join } from 'node:path';
import { projectDir } from '../../kernel/config.ts';
import { TestServer } from './hostkeep.ts';

const server = await TestServer.start();
const { plugins, node } = server.hostkeep;
const LIST_LENGTH = 2;
/** By the name of the member, wherever it stands. */
const REPLACED: Readonly<Record<string, unknown>> = {
  node: 'node1.example', ip: '203.0.113.10', ip_address: '203.0.113.10', last_ip: '198.51.100.7', processor: 'AMD EPYC 7543P', release: '6.12.0',
  load_avg: '0.52, 0.40, 0.36', uptime: '3 days, 4:05', id: 'example', user_agent: 'curl/8.14.1', database_password: 'example', device: '/dev/sda1', mountpoint: '/', fstype: 'ext4',
};
/** Wherever it stands in a text. */
const REWRITTEN = [[node.url('user'), 'https://panel.example:2083'], [node.url('admin'), 'https://panel.example:2087'], [version(), '#1 SMP']] as const;

function shown(value: unknown): unknown {
  if (typeof value === 'string') return REWRITTEN.reduce<string>((text, [found, told]) => text.replaceAll(found, told), value);
  if (Array.isArray(value)) return value.slice(0, LIST_LENGTH).map(shown);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, typeof each === typeof REPLACED[name] ? REPLACED[name] : shown(each)]));
}

const people = { demo: await server.account('demo'), other: await server.account('other', 'basic') };
await plugins.inTurn('demo', people);
const tokens = { user: await server.token(people.demo), admin: (await server.admin('operator')).token };
const examples: Record<string, unknown> = {};
for (const { plugin, name, method, paths: [path = ''], addresses: [address = 'user'], access, produces } of node.routes()) {
  if (method !== 'GET' || access === 'guest' || produces !== undefined || /[:*]/.test(path)) continue;
  const { status, body } = await server.ask(path, { address, token: tokens[address] });
  if (status === 200) examples[`${plugin}.${name}`] = shown(body);
}
await server.close();
const file = join(projectDir, 'plugins/openapi/examples.json');
writeFileSync(file, `{\n${Object.entries(examples).map(([name, value]) => `  ${JSON.stringify(name)}: ${JSON.stringify(value)}`).join(',\n')}\n}\n`);
console.log(`${Object.keys(examples).length} examples in ${file}`);
