import { allPages, type AreaPage } from '../area.ts';
import { mayOpen } from '../server/session.ts';
import { ownPath, pathAt } from './base-path.ts';

/** Returns the page at a path of the application. */
export function pageAt<P extends AreaPage>(pages: readonly P[], path: string): P | undefined {
  const asked = path.replace(/\/+$/, '');
  return pages.find(
    (each) => pathAt(each.path) === asked || (each.below === true && asked.startsWith(`${pathAt(each.path)}/`)),
  );
}

/** Returns whether a link leads to a page that the account may open now. */
export function isOpenable(link: string): boolean {
  const usable = allPages().filter(({ area, features }) => mayOpen(area, features));
  return pageAt(usable, ownPath(link)) !== undefined;
}
