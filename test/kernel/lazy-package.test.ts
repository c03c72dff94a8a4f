import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import * as assert from '../support/assert.ts';
import { findFiles } from '../../kernel/kit/files/find-files.ts';
import { projectDir } from '../../kernel/kit/files/project-dir.ts';
import { lazyPackage } from '../../kernel/kit/programs/lazy-package.ts';
import { testSuite } from '../support/suite.ts';

const test = testSuite('packages loaded when needed');

/** Has a `package.json` in a folder of its own, of which Node.js remembers that it could not be read. */
const LASTING = '@modelcontextprotocol/sdk/';
/** Packages, and the URLs of the compiled files that load them. */
const OWNERS = findFiles('{kernel,plugins}/**/*.ts', projectDir).flatMap((file) =>
  [
    ...readFileSync(join(projectDir, file), 'utf8').matchAll(/\blazyPackage<[^(]*\(\s*'([^']+)',\s*import\.meta\.url/g),
  ].map(([, name = '']) => [name, pathToFileURL(join(projectDir, 'dist', file.replace(/ts$/, 'js'))).href] as const),
);

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
  assert.ok(OWNERS.length > 2, 'the owners were found');
  const helper = import.meta.resolve('../../kernel/kit/programs/lazy-package.js');
  for (const [name, owner] of OWNERS.filter(([name]) => !name.startsWith(LASTING))) {
    const node = [process.execPath, '--input-type=module', '-e', PROGRAM, helper, name, owner];
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
