import { execFileSync, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { once } from 'node:events';
import { reportSkipped } from './suite.ts';

const IS_INSIDE = 'HOSTKEEP_TEST_OWN_NETWORK';
const PROGRAMS = ['/usr/sbin/iptables', '/bin/busybox'];
/** Ends with the process that started it, and becomes the rest of the command. */
const ENTER = [
  'setpriv',
  '--pdeathsig',
  'KILL',
  'unshare',
  '--net',
  'sh',
  '-c',
  'busybox ip link set lo up && exec "$@"',
  'sh',
];

/**
 * Whether this process has a network of its own, with a loopback and nothing else, where packets can be dropped. If not, runs
 * the file of tests in one, and passes on what it prints and how it ends.
 */
export async function hasOwnNetwork(file: string): Promise<boolean> {
  if (process.env[IS_INSIDE] !== undefined) return true;
  if (process.getuid?.() !== 0 || !PROGRAMS.every((path) => existsSync(path))) {
    reportSkipped('tests that drop packets; run as root, with iptables and busybox-static');
    return false;
  }
  const [program = '', ...args] = [...ENTER, process.execPath, ...process.execArgv, file];
  const child = spawn(program, args, { stdio: 'inherit', env: { ...process.env, [IS_INSIDE]: '1' } });
  const [code] = (await once(child, 'exit')) as [number | null];
  process.exitCode = code ?? 1;
  return false;
}

/** Drops all packets from and to a loopback address, without a word to either end, until the function that it returns is called. */
export function dropPackets(address: string): () => void {
  const change = (option: '-A' | '-D') => {
    for (const end of ['-s', '-d']) execFileSync('iptables', ['-w', option, 'INPUT', end, address, '-j', 'DROP']);
  };
  change('-A');
  return () => change('-D');
}
