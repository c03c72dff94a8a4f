/**
 * Runs files of tests one after another, as `TestProcess` asks: what they all import is loaded once. A file has ended when nothing of
 * it keeps the process alive, as in a process of its own.
 */
import { pathToFileURL } from 'node:url';
import { ENDED, type FileRequest } from './file-request.ts';
import { forgetFile } from './suite.ts';

const environment = { ...process.env };
let isRunning = false;

process.on('message', ({ path }: FileRequest) => {
  process.channel?.unref();
  if (path === undefined) return;
  isRunning = true;
  void import(pathToFileURL(path).href); // what it throws ends this process
});

process.on('beforeExit', () => {
  if (!isRunning) return;
  isRunning = false;
  for (const output of [process.stdout, process.stderr]) output.write(`\n${ENDED}${process.exitCode ?? 0}\n`);
  forgetFile();
  for (const name of Object.keys(process.env)) if (!(name in environment)) delete process.env[name];
  Object.assign(process.env, environment);
  process.channel?.ref();
});
