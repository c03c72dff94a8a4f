import { execFileSync } from 'node:child_process';
import * as assert from 'uvu/assert';
import { lazyPackage } from '../../kernel/kit/programs/lazy-package.ts';
import { testSuite } from '../support/suite.ts';

const test = testSuite('packages loaded when needed');

const OWNERS = {
  ajv: '../../kernel/config/validator.js',
  'ipaddr.js': '../../kernel/kit/net/ip.js',
  maxmind: '../../plugins/profile/country.js',
  mysql2: '../../plugins/databases/mysql/client.js',
  otpauth: '../../plugins/login/twofa/authenticator.js',
  'prom-client': '../../plugins/metrics/exposition.js',
  'puppeteer-core': '../../plugins/screenshots/browser/launched-browser.js',
  qr: '../../plugins/login/twofa/authenticator.js',
  tldts: '../../plugins/domains/name.js',
};

/** Loads a package while no descriptor is left, then again. */
const PROGRAM = `
  import { closeSync, openSync } from 'node:fs';
  const [helper, name, owner] = process.argv.slice(1);
  const { lazyPackage } = await import(helper);
  const load = lazyPackage(name, owner);
  const attempt = () => {
    try {
      return typeof load();
    } catch (error) {
      return error.message;
    }
  };
  const open = [];
  try {
    for (;;) open.push(openSync('/dev/null'));
  } catch {}
  const first = attempt();
  for (const file of open) closeSync(file);
  console.log(JSON.stringify([first, attempt()]));
`;

test('a package that failed for lack of descriptors loads on the next call', () => {
  const helper = import.meta.resolve('../../kernel/kit/programs/lazy-package.js');
  for (const [name, owner] of Object.entries(OWNERS)) {
    const node = [process.execPath, '--input-type=module', '-e', PROGRAM, helper, name, import.meta.resolve(owner)];
    const output = execFileSync('sh', ['-c', 'ulimit -n 64; exec "$@"', 'sh', ...node], { encoding: 'utf8' });
    const [first, second] = JSON.parse(output) as string[];
    assert.match(first ?? '', /too many open files/, name); // the code differs between versions of Node.js
    assert.ok(second === 'object' || second === 'function', `${name}: ${second}`);
  }
});

test('a package that is not installed is missing when it is called for', () => {
  const load = lazyPackage('not-installed-here', import.meta.url);
  assert.throws(load, /Cannot find module 'not-installed-here'/);
});
