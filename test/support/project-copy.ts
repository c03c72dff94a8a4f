import { execFile } from 'node:child_process';
import { cpSync, existsSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { pluginsWith } from '../../kernel/kit/files/plugin-files.ts';
import { projectDir } from '../../kernel/kit/files/project-dir.ts';
import { temporaryFolder } from './folder.ts';

export const TSC = join(projectDir, 'node_modules/typescript/bin/tsc');
/** Several threads repeat what each of them needs: half more work, while other tests want the processors too. */
const OPTIONS = ['--singleThreaded', '--pretty', 'false'];
/** The compiler is a program in Go: it ends before it has used much more memory than it needs, and collecting takes a third of its time. */
const WITHOUT_COLLECTION = { GOGC: 'off' };

/** A copy of the project's sources in a temporary folder, to be changed, compiled and run beside it. */
export class ProjectCopy {
  readonly folder = temporaryFolder();

  /** `more` names files and folders in addition to those that a server is made of; `compiled` what is compiled, with its imports. */
  constructor(more: readonly string[] = [], compiled: readonly string[] = ['kernel', 'plugins', 'test']) {
    for (const name of ['kernel', 'plugins', 'config', 'package.json', 'tsconfig.json', ...more])
      cpSync(join(projectDir, name), join(this.folder, name), { recursive: true });
    symlinkSync(join(projectDir, 'node_modules'), join(this.folder, 'node_modules'));
    writeFileSync(this.path('tsconfig.copy.json'), JSON.stringify({ extends: './tsconfig.json', include: compiled }));
  }

  get #surroundings() {
    return { cwd: this.folder, env: { ...process.env, ...WITHOUT_COLLECTION } };
  }

  path(name: string): string {
    return join(this.folder, name);
  }

  /** Builds the pages of what is there, and checks their types. Rejects with what is wrong. */
  async buildPages(): Promise<void> {
    const builders = pluginsWith('build/main').filter((name) => existsSync(this.path(join('plugins', name))));
    const steps = builders.flatMap((name) => [
      [join('dist/plugins', name, 'build/main.js')],
      [TSC, '-p', join('plugins', name), ...OPTIONS],
    ]);
    for (const args of steps) {
      const run = promisify(execFile)(process.execPath, args, this.#surroundings);
      await run.catch(({ stdout, stderr }: { stdout: string; stderr: string }) => {
        throw new Error(stdout + stderr);
      });
    }
  }

  /** Compiles into `dist/`. Rejects with what the compiler says. */
  compile(): Promise<void> {
    return this.#runCompiler([]);
  }

  /**
   * Checks what has changed since the last run, and all that depends on it; a whole compilation takes three times as
   * long. Writes no code: that of a file follows from its own text alone (`isolatedModules`). Rejects like `compile`.
   */
  check(): Promise<void> {
    return this.#runCompiler(['--noEmit']);
  }

  async #runCompiler(more: readonly string[]): Promise<void> {
    const args = [TSC, '-p', 'tsconfig.copy.json', ...OPTIONS, ...more];
    await promisify(execFile)(process.execPath, args, this.#surroundings).catch(({ stdout }: { stdout: string }) => {
      throw new Error(stdout);
    });
  }
}
