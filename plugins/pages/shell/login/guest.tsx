import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { at } from '../../kit/place/base-path.ts';
import { Button } from '../../kit/button.tsx';
import { t } from '../../kit/text/i18n.ts';
import type { ShownPage } from '../application.ts';
import { Guarded } from '../../kit/guarded.tsx';
import { LoginPage } from './login.tsx';
import { Mark } from '../navigation.tsx';

interface GuestProps {
  readonly application: 'home' | 'console';
  /** The public page at this place, if there is one. */
  readonly page: ShownPage | undefined;
}

/** The page before a login: the login itself, or a public page that leads to it. */
export function Guest({ application, page }: GuestProps) {
  const isLoggingIn = useSignal(false);
  useEffect(() => {
    document.title = page === undefined ? t(`pages.${application}`) : `${t(page.title)} · Hostkeep`;
  });
  if (page === undefined || isLoggingIn.value) return <LoginPage application={application} />;
  return (
    <>
      <header class="bar">
        <a class="brand" href={at('/')}>
          <Mark /> {t(`pages.${application}`)}
        </a>
        <div class="bar-end">
          <Button kind="primary" isSmall onClick={() => void (isLoggingIn.value = true)}>
            {t('pages.login')}
          </Button>
        </div>
      </header>
      <main id="main" class="content">
        <Guarded>
          <page.View />
        </Guarded>
      </main>
    </>
  );
}
