import type { ComponentChildren } from 'preact';
import { Empty } from '../feedback.tsx';
import type { IconName } from '../icon.tsx';
import { DomainName } from '../text/domain-name.tsx';
import { t } from '../text/i18n.ts';
import { actionsColumn } from './columns.tsx';
import { Table, type Column } from './table.tsx';

/** A domain of an account, with what is set for it. */
export interface Site {
  readonly domain_url: string;
}

interface SitesTableProps<T> {
  readonly caption: string;
  readonly icon: IconName;
  readonly sites: readonly T[];
  /** They stand between the name and the buttons. */
  readonly columns: readonly Column<T>[];
  readonly buttons: (site: T) => ComponentChildren;
  /** Says what to do where there are no domains, if a page has more to say of it. */
  readonly noneAbout?: string;
}

/** A table of what is set for each domain of an account, with the buttons that change it. */
export function SitesTable<T extends Site>(props: SitesTableProps<T>) {
  const { caption, icon, sites, columns, buttons, noneAbout = t('pages.noDomainsAbout') } = props;
  if (sites.length === 0)
    return (
      <Empty icon={icon} title={t('pages.noDomains')}>
        {noneAbout}
      </Empty>
    );
  const all: readonly Column<T>[] = [
    {
      name: 'domain',
      title: t('pages.domain'),
      by: ({ domain_url: name }) => name,
      cell: ({ domain_url: name }) => <DomainName name={name} />,
    },
    ...columns,
    actionsColumn((site) => <span class="row">{buttons(site)}</span>),
  ];
  return (
    <Table caption={caption} columns={all} rows={sites} keyOf={({ domain_url: name }) => name} sortedBy="domain" />
  );
}
