import { ApiError, ask } from '../../kit/server/api.ts';
import { changed } from '../../kit/server/query.ts';
import { keepsLanguage, rememberLanguage, session } from '../../kit/server/session.ts';
import { useLanguage } from '../../kit/text/i18n.ts';

/** Shows the page in a language, in which the server then writes to the account, too: half of what is shown is its text. */
export async function chooseLanguage(locale: string): Promise<void> {
  await useLanguage(locale, true);
  if (session.value == null) return;
  if (!keepsLanguage(locale)) return rememberLanguage(session.value, locale);
  const { username, role } = session.value;
  try {
    if (role === 'admin') await ask('PATCH', `/api/accounts/${encodeURIComponent(username)}`, { locale });
    else await ask('PUT', '/api/account/language', { locale });
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'not_found') throw error; // the plugin is off
  }
  changed();
}
