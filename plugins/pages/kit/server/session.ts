import { computed, effect, signal } from '@preact/signals';
import { api, ApiError, ask, onAnswer, setReadyAgain, type ReplyOf } from './api.ts';
import { LANGUAGES, preferredLanguage, useLanguage } from '../text/i18n.ts';

/** Of nodes of a fleet that answer in turn, `node` stays the first, so that figures are of one machine. */
export type SessionView = NonNullable<ReplyOf<'GET /api/session'>>;

/** `undefined` until it is known; `null` where nobody is logged in. */
export const session = signal<SessionView | null | undefined>(undefined);
/** Whether a session ended under the page, which then keeps what was typed behind the login. */
export const hasEnded = signal(false);
export const isUnreachable = signal(false);
const features = computed(() => new Set(session.value?.features));

/** How often the page asks what it may show, so that a feature that is switched off goes for who is looking too. */
const REFRESH_MS = 15_000;

/** Whether the account may see what an area has for these features, and the server runs the plugin of the area. */
export function mayOpen(area: { readonly name: string }, any: readonly string[] | undefined): boolean {
  return session.value?.switched_off.includes(area.name) !== true && mayUse(any);
}

/** Whether the account has one of these features; administrators have no features, and may see everything here. */
export function mayUse(any: readonly string[] | undefined): boolean {
  return any === undefined || session.value?.role === 'admin' || any.some((each) => features.value.has(each));
}

/** Whether the account can keep a language that is chosen here; whoever looks on changes nothing. */
export function keepsLanguage(locale: string): boolean {
  const { opened_by: openedBy, locales = [] } = session.value ?? {};
  return openedBy === null && locales.includes(locale) && mayUse(['locale']);
}

/** Remembers in the browser what somebody chose whose account does not keep it. */
export const rememberLanguage = (view: SessionView, locale: string): void =>
  localStorage.setItem(languageKey(view), locale);

const languageKey = ({ username, opened_by: by }: SessionView) => `hostkeep-language-${by ?? username}`;

/** Returns the language of the account, which is not that of whoever used the browser before. */
function ownLanguage(view: SessionView): string {
  const remembered = localStorage.getItem(languageKey(view));
  return remembered === null || keepsLanguage(remembered) ? view.locale : remembered;
}

/** Asks who is logged in. Keeps what is known while nobody answers. */
export async function refreshSession(): Promise<void> {
  try {
    const answer = await api('GET /api/session');
    isUnreachable.value = false;
    if (answer === null) return endLocally();
    const next = { ...answer, node: answer.node && (session.value?.node ?? answer.node) };
    const isFirst = session.value == null;
    // Somebody else, logged in by another window, must not see what the page still shows, nor send what waits for the login.
    if (!isFirst && next.username !== session.value?.username) return location.reload();
    hasEnded.value = false;
    // A session that began in the same second as the one before ends with it, too.
    if (JSON.stringify(next) === JSON.stringify(session.value)) return;
    session.value = next;
    const own = ownLanguage(next);
    if (isFirst && LANGUAGES.includes(own)) await useLanguage(own);
  } catch (error) {
    if (error instanceof ApiError && error.isPassing) isUnreachable.value = true;
    else throw error;
  }
}

/** Whether the session ends because somebody logs out here: then no login comes up over the page. */
let isLeaving = false;

function endLocally(): void {
  if (session.value == null || isLeaving) session.value = null;
  else hasEnded.value = true;
}

/** Ends the session here and on the server. */
export async function logOut(): Promise<void> {
  isLeaving = true;
  try {
    await ask('POST', '/api/logout');
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 401) throw error;
  } finally {
    isLeaving = false;
  }
  session.value = null;
  hasEnded.value = false;
  await useLanguage(preferredLanguage());
}

/** Waits for the login that comes up over the page. */
function loggedInAgain(error: ApiError): Promise<boolean> {
  if (error.code !== 'authentication_required' || !hasEnded.value || isLeaving) return Promise.resolve(false);
  return new Promise((resolve) => {
    effect(function () {
      if (hasEnded.value) return;
      this.dispose();
      resolve(session.value != null);
    });
  });
}

export function followSession(): void {
  setReadyAgain(loggedInAgain);
  onAnswer.push((error) => {
    if (error === undefined) return;
    if (error.code === 'authentication_required' && session.value !== undefined) endLocally();
    if (error.code === 'feature_disabled') void refreshSession();
    if (error.status === 0) isUnreachable.value = true;
  });
  const refresh = () => {
    if (document.visibilityState === 'visible' && session.value != null) void refreshSession();
  };
  setInterval(refresh, REFRESH_MS);
  document.addEventListener('visibilitychange', refresh);
  for (const each of ['online', 'offline']) window.addEventListener(each, refresh);
}
