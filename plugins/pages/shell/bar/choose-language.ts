import { ApiError, ask } from '../../kit/server/api.ts';
import { changed } from '../../kit/server/query.ts';
import { mayUse, session } from '../../kit/server/session.ts';
import { useLanguage } from '../../kit/text/i18n.ts';

/** Shows the page in a language, in which the server then writes to the account, too: half of what is shown is its text. */
export async function chooseLanguage(locale: string): Promise<void> {
  await useLanguage(locale, true);
  const { username = '', role, locales = [], opened_by: openedBy } = session.value ?? {};
  if (openedBy !== null || !locales.includes(locale)) return; // whoever looks on changes nothing
  try {
    if (role === 'admin') await ask('PATCH', `/api/accounts/${encodeURIComponent(username)}`, { locale });
    else if (mayUse(['locale'])) await ask('PUT', '/api/account/language', { locale });
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'not_found') throw error; // the plugin is off
  }
  changed();
}
