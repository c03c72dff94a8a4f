import { join } from 'node:path';
import { DiskCache } from '../../../plugins/screenshots/cache/disk-cache.ts';
import type { PluginRows } from '../../support/plugin-rows.ts';

/** The end of a PNG file, which every screenshot of the test has. */
const PICTURE_END = Buffer.from('0000000049454e44ae426082', 'hex');
const cacheIn = (folder: string) => new DiskCache(join(folder, 'screenshots'), 3_600_000, 100_000_000, () => undefined);

const rows: PluginRows = {
  // a remote service of screenshots needs no browser
  surroundings: () => ({ config: { screenshots: { remote_url: 'https://pictures.example/?url={url}' } } }),
  walk: { show: () => ({ path: '/api/screenshot/sunny-garden.example?width=320' }) },
  opened: 'screenshots',
  answered: 'home',
  without: { domains: { show: 404 } },
  homes: { paths: { show: (username) => `/api/screenshot/${username}.example` } },
  writer: {
    open: async (folder) => {
      const disk = cacheIn(folder);
      return (n) =>
        disk.write(1, 'a.test', `u${n % 20}`, {
          png: Buffer.concat([Buffer.alloc(50_000, n % 251), PICTURE_END]),
          takenAt: Date.now(),
        });
    },
    assertWhole: async (folder) => {
      const disk = cacheIn(folder);
      for (let n = 0; n < 20; n += 1) {
        const picture = await disk.read(1, 'a.test', `u${n}`);
        if (picture !== undefined && !picture.png.subarray(0, 50_000).every((byte) => byte === picture.png[0]))
          throw new Error('a screenshot is a mix of two');
      }
    },
  },
};
export default rows;
