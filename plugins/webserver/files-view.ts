import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Driver } from './drivers.ts';
import { fail } from './errors.ts';

/** How long what was found of the mounts counts. */
const FRESH_MS = 1000;

/** The place of a file of the host where the web server sees it. */
export const viewed = ({ filesView }: Pick<Driver, 'filesView'>, path: string): string => join(filesView, path);

/**
 * Returns a function that throws if the web server could follow a customer's link out of a files root: one that cannot compare
 * owners, as nginx does, must see the files through a mount on which the kernel follows no link. Errors: 502
 * `webserver_failed`.
 */
export function linkGuard(driver: Driver): (filesRoot: string) => void {
  let [mounts, readMs] = ['', Number.NEGATIVE_INFINITY];
  return (filesRoot) => {
    if (driver.filesView === '') return;
    if (performance.now() - readMs > FRESH_MS) {
      mounts = readFileSync('/proc/self/mountinfo', 'utf8');
      readMs = performance.now();
    }
    const path = viewed(driver, filesRoot);
    if (!followsNoLinks(mounts, path))
      throw fail.webserver_failed(
        `${driver.name} would follow links of customers: ${path} is not on a mount with the option nosymfollow`,
      );
  };
}

/** Whether the last mount over a path has the option `nosymfollow`; `mounts` as in /proc/self/mountinfo, see proc(5). */
export function followsNoLinks(mounts: string, path: string): boolean {
  let over = { point: '', options: '' };
  for (const line of mounts.split('\n')) {
    const [, , , , escaped = '', options = ''] = line.split(' ');
    const point = escaped.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(parseInt(octal, 8)));
    const isAbove = point !== '' && `${path}/`.startsWith(point === '/' ? '/' : `${point}/`);
    if (isAbove && point.length >= over.point.length) over = { point, options };
  }
  return over.options.split(',').includes('nosymfollow');
}
