/**
 * The packages that the program loads from `node_modules` in a package of Hostkeep, because they hold binaries or data, or
 * because the program loads them by name when first needed; with the files of each that it uses. All others are bundled.
 */
import { cpSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { findFiles } from '../../kernel/kit/files/find-files.ts';
import { projectDir } from '../../kernel/kit/files/project-dir.ts';

/** The version of Node.js that packages hold, and the ABI of its binaries. */
export const NODE = { version: '24.21.0', abi: '137' } as const;

const LEGAL = ['LICEN[CS]E*', 'NOTICE*', 'COPYING*', 'README*'];
const CODE = ['package.json', '{lib,dist}/**/*.{js,cjs,mjs,json}', '*.{js,cjs}'];

export const RUNTIME_PACKAGES: Readonly<Record<string, readonly string[]>> = {
  'uWebSockets.js': ['package.json', 'uws.js', `uws_linux_x64_${NODE.abi}.node`],
  sqlite3: ['package.json', 'lib/*.js', 'build/Release/node_sqlite3.node'],
  bindings: CODE,
  'file-uri-to-path': CODE,
  sharp: CODE,
  '@img/colour': CODE,
  '@img/sharp-linux-x64': [...CODE, 'lib/*.node'],
  '@img/sharp-libvips-linux-x64': [...CODE, 'lib/*.so.*', 'versions.json'],
  'detect-libc': CODE,
  semver: ['package.json', '**/*.js', '!bin/**'],
  '@node-rs/argon2': CODE,
  '@node-rs/argon2-linux-x64-gnu': ['package.json', '*.node'],
  'jsonc-parser': ['package.json', 'lib/umd/**/*.js'],
  '@ip-location-db/geo-whois-asn-country-mmdb': ['package.json', 'geo-whois-asn-country.mmdb', 'NRO_LICENSE'],
};

/** Copies the packages into a folder. Throws if one is not installed, or has not all of its files. */
export function copyRuntimePackages(to: string): void {
  for (const [name, patterns] of Object.entries(RUNTIME_PACKAGES)) {
    const from = join(projectDir, 'node_modules', name);
    const found = findFiles([...patterns, ...LEGAL], from);
    for (const pattern of patterns.filter((each) => !each.includes('*') && !each.startsWith('!')))
      if (!found.includes(pattern)) throw new Error(`node_modules/${name} has no file ${pattern}: run npm ci`);
    for (const file of found) {
      mkdirSync(dirname(join(to, name, file)), { recursive: true });
      cpSync(join(from, file), join(to, name, file), { dereference: true });
    }
  }
}
