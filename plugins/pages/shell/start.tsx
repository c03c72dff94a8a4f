import { render } from 'preact';
import { LocationProvider } from 'preact-iso/router';
import { setAreas } from '../kit/area.ts';
import { setBase } from '../kit/place/base-path.ts';
import { followNode } from '../kit/place/node.ts';
import { ask } from '../kit/server/api.ts';
import { followSession, refreshSession } from '../kit/server/session.ts';
import { toastError } from '../kit/toasts.tsx';
import { preferredLanguage, t, useLanguage } from '../kit/text/i18n.ts';
import { App } from './app.tsx';
import type { Application } from './application.ts';
import { applyTheme } from './bar/theme.ts';

/** How often a page of `npm run dev` looks for a new build. */
const DEVELOPMENT_MS = 400;

/** Shows an application. Asks for language and session at once, so that the first picture is the right one. */
export async function start(application: Application): Promise<void> {
  applyTheme();
  setBase(application.base);
  setAreas(application.areas);
  followSession();
  followNode();
  if (location.pathname === '/') history.replaceState(null, '', application.base);
  await Promise.all([useLanguage(preferredLanguage()), takeLoginLink().then(refreshSession)]);
  const root = document.getElementById('app');
  if (root === null) return;
  document.title = t(`pages.${application.name}`);
  render(
    <LocationProvider scope={application.base}>
      <App {...application} />
    </LocationProvider>,
    root,
  );
  if (IS_DEVELOPMENT) void reloadWhenBuilt();
}

/** Logs in with an administrator's link, whose code is in the fragment of the address. */
async function takeLoginLink(): Promise<void> {
  const code = new URLSearchParams(location.hash.slice(1)).get('login');
  if (code === null) return;
  history.replaceState(null, '', location.pathname);
  await ask('POST', '/api/login-link', { code }).catch(toastError);
}

async function reloadWhenBuilt(): Promise<never> {
  const ask = () =>
    fetch('/', { method: 'HEAD', headers: { Accept: 'text/html' } }).then(
      (response) => response.headers.get('ETag'),
      () => null,
    );
  const first = await ask();
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, DEVELOPMENT_MS));
    const now = await ask();
    if (now !== null && now !== first) location.reload();
  }
}
