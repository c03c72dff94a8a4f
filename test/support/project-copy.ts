/** @slow compiles the project */
import { execFile } from 'node:child_process';
import { cpSync, existsSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { projectDir } from '../../kernel/system/project-dir.ts';
import { temporaryFolder } from './folder.ts';

export const TSC = join(projectDir, 'node_modules/typescript/bin/tsc');

/** A copy of the project's sources in a temporary folder, to be changed, compiled and run beside it. */
export class ProjectCopy {
  readonly folder = temporaryFolder();

  /** `more` names files and folders in addition to those that a server is made of. */
  constructor(more: readonly string[] = []) {
    for (const name of ['kernel', 'plugins', 'config', 'package.json', 'tsconfig.json', ...more])
      cpSync(join(projectDir, name), join(this.folder, name), { recursive: true });
    symlinkSync(join(projectDir, 'node_modules'), join(this.folder, 'node_modules'));
    writeFileSync(
      this.path('tsconfig.copy.json'),
      JSON.stringify({ extends: './tsconfig.json', include: ['kernel', 'plugins', 'test'] }),
    );
  }

  path(name: string): string {
    return join(this.folder, name);
  }

  /** Builds the pages of what is there, and checks their types. Rejects with what is wrong. */
  async buildPages(): Promise<void> {
    if (!existsSync(this.path('plugins/pages'))) return;
    for (const args of [['dist/plugins/pages/build/main.js'], [TSC, '-p', 'plugins/pages', '--pretty', 'false']]) {
      const run = promisify(execFile)(process.execPath, args, { cwd: this.folder });
      await run.catch(({ stdout, stderr }: { stdout: string; stderr: string }) => {
        throw new Error(stdout + stderr);
      });
    }
  }

  /** Compiles into an empty `dist/`. Rejects with what the compiler says. */
  async compile(): Promise<void> {
    rmSync(this.path('dist'), { recursive: true, force: true });
    const compile = promisify(execFile)(process.execPath, [TSC, '-p', 'tsconfig.copy.json', '--pretty', 'false'], {
      cwd: this.folder,
    });
    await compile.catch(({ stdout }: { stdout: string }) => {
      throw new Error(stdout);
    });
  }
}
