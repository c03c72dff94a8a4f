/**
 * Every page of the console in both themes and three widths, in a real browser with a real server: axe-core finds nothing,
 * nothing reaches beyond the window, and the browser has nothing to complain about. The plugins' rows say which pages there are.
 */
import { testAppearance } from '../support/appearance.ts';

await testAppearance('admin');
