import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectDir } from '../../kernel/kit/files/project-dir.ts';
import * as assert from './assert.ts';
import { temporaryFolder } from './folder.ts';
import { reportSkipped } from './suite.ts';

const COMPILER = '/usr/bin/gcc';
/** Has the shell that mail() starts load a library of the customer, whatever functions are disabled. */
const PRELOAD = `<?php
  foreach (['LD_PRELOAD' => 'native.so', 'HOSTILE_TASKS' => 'tasks', 'HOSTILE_RESULTS' => 'results'] as $name => $file)
    putenv("$name=" . __DIR__ . "/$file");
  mail('nobody@example.com', '', '');
  readfile(__DIR__ . '/results');`;

/** Whether native code can be made here. Throws in CI if not. */
export function hasCompiler(): boolean {
  if (existsSync(COMPILER)) return true;
  reportSkipped('tests with native code of a customer; install a compiler with apt-get install -y gcc libc6-dev');
  return false;
}

/** A site whose owner runs native code in its PHP. */
interface HostileSite {
  put(file: string, content: string | Buffer): void;
  /** Resolves with a page. */
  get(path: string): Promise<string>;
}

/** Puts native code into a site. Returns what has it do tasks, see hostile.c, and tell what came of each. */
export function armed(site: HostileSite): (tasks: readonly string[]) => Promise<string[]> {
  const library = join(temporaryFolder(), 'native.so');
  execFileSync(COMPILER, ['-shared', '-fPIC', '-o', library, join(projectDir, 'test/fixtures/hostile.c')]);
  site.put('native.so', readFileSync(library));
  site.put('preload.php', PRELOAD);
  return async (tasks) => {
    site.put('tasks', tasks.join('\n'));
    const lines = (await site.get('/preload.php')).split('\n');
    assert.ok(lines.includes('done'), `it ran, and told ${lines.join('\n')}`);
    return lines;
  };
}
