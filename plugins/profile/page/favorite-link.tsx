import { Icon, isOpenable, linkTo, ownPath, t } from '../../pages/kit/index.ts';

const isPath = (link: string) => /^\/(?!\/)/.test(link);

/** Returns whether a favorite leads somewhere: to a page of ours that the account may open, or to an address elsewhere. */
export const leadsSomewhere = (link: string): boolean => (isPath(link) ? isOpenable(link) : /^https?:\/\//i.test(link));

/** A favorite. What leads nowhere becomes no link, and says so. */
export function FavoriteLink({ link, title }: { readonly link: string; readonly title: string }) {
  if (!leadsSomewhere(link))
    return (
      <span class="wrap">
        {title} <span class="small soft">· {t('profile.leadsNowhere')}</span>
      </span>
    );
  return (
    <a
      class="row nowrap"
      href={isPath(link) ? linkTo(ownPath(link)) : link}
      {...(!isPath(link) && { target: '_blank', rel: 'noopener noreferrer' })}
    >
      <Icon name={isPath(link) ? 'star' : 'open'} />
      <span class="wrap">{title}</span>
    </a>
  );
}
