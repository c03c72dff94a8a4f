import { at, Icon } from '../../pages/kit/index.ts';

/** A favorite: a page of ours by its path, or an address elsewhere. Nothing else becomes a link. */
export function FavoriteLink({ link, title }: { readonly link: string; readonly title: string }) {
  const isPath = /^\/(?!\/)/.test(link);
  if (!isPath && !/^https?:\/\//i.test(link)) return <span class="wrap">{title}</span>;
  return (
    <a
      class="row nowrap"
      href={isPath ? at(link) : link}
      {...(!isPath && { target: '_blank', rel: 'noopener noreferrer' })}
    >
      <Icon name={isPath ? 'star' : 'open'} />
      <span class="wrap">{title}</span>
    </a>
  );
}
