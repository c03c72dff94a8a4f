import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import {
  Badge,
  Button,
  DomainName,
  errorText,
  Icon,
  mayUse,
  send,
  t,
  textOr,
  type ReplyOf,
} from '../../pages/kit/index.ts';
import { LoginDialog } from './login-dialog.tsx';

type Reply = ReplyOf<'GET /api/auto-installer'>;
type Site = Reply['sites'][number];
type Technology = Reply['technologies'][number];

const WIDTH = 640;

interface SiteCardProps {
  readonly site: Site;
  /** Of the application; `undefined` for what is none. */
  readonly technology: Technology | undefined;
}

/** One site: its picture, what runs it, and where it is. */
export function SiteCard({ site, technology }: SiteCardProps) {
  const isLoginShown = useSignal(false);
  const close = () => void (isLoginShown.value = false);
  const url = `http://${site.site}/`;
  return (
    <article class="card site">
      <Picture site={site.site} />
      <div class="site-body">
        <h2>
          <DomainName name={site.site} />
        </h2>
        <div class="row">
          <Badge tone={site.type === 'static' ? undefined : 'accent'}>
            {technology?.title ?? textOr(`websites.type.${site.type}`, site.type)} {site.version}
          </Badge>
        </div>
        <code class="small soft wrap">{site.path}</code>
        <div class="row">
          <a class="button small" href={url} target="_blank" rel="noopener noreferrer">
            <Icon name="open" /> {t('websites.open')}
            <span class="sr-only"> {site.site}</span>
          </a>
          {technology?.has_database === true && mayUse(['mysql']) && (
            <Button
              isSmall
              icon="database"
              label={t('websites.databaseOf', { name: site.site })}
              onClick={() => void (isLoginShown.value = true)}
            >
              {t('websites.database')}
            </Button>
          )}
        </div>
        {isLoginShown.value && <LoginDialog site={site.site} onClose={close} />}
      </div>
    </article>
  );
}

/** A picture of the site where the plan has screenshots, which another plugin takes. */
function Picture({ site }: { readonly site: string }) {
  const url = useSignal<string | undefined>(undefined);
  const isBusy = useSignal(false);
  const failure = useSignal<string | undefined>(undefined);
  const isAllowed = mayUse(['screenshots']);
  const show = async (query: string) => {
    isBusy.value = true;
    failure.value = undefined;
    try {
      const reply = await send(
        `/api/screenshot/${site.split('/').map(encodeURIComponent).join('/')}?width=${WIDTH}${query}`,
      );
      const isImage = reply.headers.get('Content-Type')?.startsWith('image/') === true;
      const before = url.value;
      url.value = isImage ? URL.createObjectURL(await reply.blob()) : undefined;
      if (before !== undefined) URL.revokeObjectURL(before);
    } catch (error) {
      failure.value = errorText(error);
    }
    isBusy.value = false;
  };
  useEffect(() => {
    if (isAllowed) void show('');
    return () => url.value !== undefined && URL.revokeObjectURL(url.value);
  }, [site, isAllowed]);
  return (
    <div class="site-picture">
      {isBusy.value && url.value === undefined ? <span class="spin" aria-hidden="true" /> : <Icon name="window" />}
      {failure.value !== undefined && <p class="small soft wrap">{failure.value}</p>}
      {url.value !== undefined && <img src={url.value} alt={t('websites.picture', { name: site })} />}
      {isAllowed && (
        <span class="site-refresh">
          <Button
            isSmall
            icon="refresh"
            isBusy={isBusy.value}
            label={t('websites.refresh', { name: site })}
            onClick={() => show('&refresh=true')}
          />
        </span>
      )}
    </div>
  );
}
