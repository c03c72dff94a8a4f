/** Runs one compiled file of tests in this process, and counts its assertions: `node run-file.js <path>`. */
import { register } from 'node:module';
import { pathToFileURL } from 'node:url';
import { startCounting } from './assertion-count.ts';

startCounting();
register('./counting-hooks.js', import.meta.url);
await import(pathToFileURL(process.argv[2] ?? '').href);
