import { CopyButton, Icon, t } from '../../pages/kit/index.ts';
import { linkToPath } from './place.ts';

interface BreadcrumbsProps {
  readonly root: string;
  readonly path: string;
  /** Whether something in the folder is marked, and not the folder. */
  readonly isParent: boolean;
}

/** The way from the root to a folder, each step a link. */
export function Breadcrumbs({ root, path, isParent }: BreadcrumbsProps) {
  const names = path.slice(root.length).split('/').filter(Boolean);
  const steps = names.map((name, i) => ({ name, to: `${root}/${names.slice(0, i + 1).join('/')}` }));
  return (
    <nav class="crumbs" aria-label={t('files.way')}>
      <ol>
        {[{ name: t('files.root'), to: '' }, ...steps].map(({ name, to }, i) => (
          <li key={to}>
            {i > 0 && <Icon name="right" />}
            <a
              href={to === '' ? '#' : linkToPath('folder', to)}
              aria-current={i === steps.length && !isParent ? 'location' : undefined}
              class="wrap"
            >
              {name}
            </a>
          </li>
        ))}
      </ol>
      <CopyButton text={path} what={t('files.path')} />
    </nav>
  );
}
