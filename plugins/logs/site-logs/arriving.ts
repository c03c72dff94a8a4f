import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { undefinedIfMissing } from '../../../kernel/kit/files/if-missing.ts';
import { SiteFolders } from './segments.ts';

/** The lines of sites that come from another node, by account, beside those of the sites of this one. */
export class ArrivingLogs {
  readonly root: string;

  /** `logs` is the folder of all logs. */
  constructor(logs: string) {
    this.root = join(logs, 'arriving');
  }

  folders(accountId: number): SiteFolders {
    return new SiteFolders(join(this.root, String(accountId)));
  }

  async accounts(): Promise<number[]> {
    return ((await readdir(this.root).catch(undefinedIfMissing)) ?? []).map(Number).filter(Number.isSafeInteger);
  }

  async remove(accountId: number): Promise<void> {
    await rm(join(this.root, String(accountId)), { recursive: true, force: true });
  }
}
