/**
 * `npm run dev [-- --inspect] [--config file]`: serves the demo, compiles what is saved, and restarts the server when it
 * compiles. A save that does not compile prints its errors and leaves the running server alone. What belongs to the
 * pages is built without a restart, and open pages load themselves again.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { watch } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pluginsWith } from '../../kernel/kit/files/plugin-files.ts';
import { projectDir } from '../../kernel/kit/files/project-dir.ts';
import { CLI } from './command.ts';
import { TSC } from './project-copy.ts';

/** Files that a server reads as they are; the compiler does not see them change. */
const READ_AS_IS = /\.(json|sql|html|css|js|conf)$/;
/** What the pages are made of: it is built again while the demo goes on, and open pages load it by themselves. */
const PAGE_CODE = /^(?:pages\/(?:kit|shell|texts)|[^/]+\/page)\/.*\.(?:tsx?|css|json|svg)$/;
/** How long a server may take to finish its requests before it is killed. */
const STOP_MS = 15_000;

const given = process.argv.slice(2);
const forNode = given.filter((each) => each.startsWith('--inspect'));
const forDemo = given.filter((each) => !each.startsWith('--inspect'));

/** One demo at a time; a restart that is wanted during a restart follows it. */
class DemoProcess {
  #child: ChildProcess | undefined;
  #restarting: Promise<void> | undefined;
  #isWantedAgain = false;
  #isFirst = true;

  restart(savedAt: number): void {
    this.#isWantedAgain = this.#restarting !== undefined;
    this.#restarting ??= this.stop()
      .then(() => this.#start(savedAt))
      .finally(() => {
        this.#restarting = undefined;
        if (this.#isWantedAgain) this.restart(performance.now());
      });
  }

  async stop(): Promise<void> {
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGTERM');
    const limit = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
    await once(child, 'exit');
    clearTimeout(limit);
  }

  /** Resolves when the server answers, or has ended. A process group of its own keeps Ctrl-C from stopping it twice. */
  async #start(savedAt: number): Promise<void> {
    const child = spawn(process.execPath, ['--enable-source-maps', ...forNode, CLI, 'demo', ...forDemo], {
      detached: true,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    this.#child = child;
    const showsTour = this.#isFirst;
    this.#isFirst = false;
    await new Promise<void>((resolve) => {
      createInterface(child.stdout).on('line', (line) => {
        if (showsTour || line.startsWith('{')) console.log(line);
        if (!line.startsWith('Ctrl-C stops it')) return;
        if (!showsTour) console.log(`restarted, ${Math.round(performance.now() - savedAt)} ms after the save`);
        resolve();
      });
      child.once('exit', (code) => {
        if (code !== null && code !== 0) console.error('the demo ended; it starts again after the next change');
        resolve();
      });
    });
  }
}

const demo = new DemoProcess();
const compiler = spawn(process.execPath, [TSC, '-p', projectDir, '--watch', '--preserveWatchOutput'], {
  detached: true,
  stdio: ['ignore', 'pipe', 'inherit'],
});
let savedAt = performance.now();
let isFirstCompile = true; // of what `npm run build` has just compiled
createInterface(compiler.stdout).on('line', (line) => {
  if (/File change detected/.test(line)) savedAt = performance.now();
  else if (/Found 0 errors/.test(line)) {
    if (!isFirstCompile) demo.restart(savedAt);
    isFirstCompile = false;
  } else if (line !== '' && !/Starting compilation/.test(line)) console.log(line);
});
const builders = pluginsWith('build/main').map((name) =>
  spawn(process.execPath, [join(projectDir, 'dist/plugins', name, 'build/main.js'), '--watch'], {
    detached: true,
    stdio: ['pipe', 'inherit', 'inherit'],
  }),
);
const tellBuilders = (line: string) => builders.forEach(({ stdin }) => stdin.write(`${line}\n`));
tellBuilders(''); // the build for development, whose pages load themselves again
for (const folder of ['config', 'kernel', 'plugins'])
  watch(join(projectDir, folder), { recursive: true }, (_, file) => {
    if (file === null) return;
    if (folder === 'plugins' && PAGE_CODE.test(file)) tellBuilders(`(${file})`);
    else if (READ_AS_IS.test(file)) demo.restart(performance.now());
  });
demo.restart(savedAt);

async function end(code: number): Promise<never> {
  if (compiler.pid !== undefined && compiler.exitCode === null) process.kill(-compiler.pid, 'SIGTERM'); // tsc is a child of it
  for (const builder of builders) builder.kill('SIGTERM');
  await demo.stop();
  process.exit(code);
}
compiler.once('exit', (code) => void end(code ?? 1));
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => void end(0));
