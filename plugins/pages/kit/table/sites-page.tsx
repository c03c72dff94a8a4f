import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { IconButton } from '../button.tsx';
import { Card, PageHead } from '../card.tsx';
import { Answer } from '../feedback.tsx';
import type { IconName } from '../icon.tsx';
import type { Query } from '../server/query.ts';
import { toUnicode } from '../text/domain-name.tsx';
import { SitesTable, type Site } from './sites-table.tsx';
import type { Column } from './table.tsx';

interface Sites {
  readonly sites: readonly Site[];
}

/** A button of each site, and the dialog that it opens. */
interface SiteButton<A extends Sites> {
  /** Each button has another. */
  readonly icon: IconName;
  /** By the name of the site. */
  readonly label: (name: string) => string;
  /** Whether a site has it; each has, unless given. */
  readonly isFor?: (site: A['sites'][number]) => boolean;
  readonly opens: (site: A['sites'][number], onClose: () => void, all: A) => ComponentChildren;
}

interface SitesPageProps<A extends Sites> {
  readonly title: string;
  readonly about: string;
  readonly icon: IconName;
  readonly of: Query<A>;
  readonly columns: readonly Column<A['sites'][number]>[];
  readonly buttons: readonly SiteButton<A>[];
  readonly noneAbout?: string;
  /** They stand above the table. */
  readonly children?: ComponentChildren;
}

/** The page of what is set for each domain of an account: a table, and the dialogs in which it is changed. */
export function SitesPage<A extends Sites>(props: SitesPageProps<A>) {
  const { title, about, icon, of, columns, buttons, noneAbout, children } = props;
  const opened = useSignal<{ readonly icon: IconName; readonly name: string } | undefined>(undefined);
  const site = of.data?.sites.find(({ domain_url: name }) => name === opened.value?.name);
  const dialog = buttons.find((each) => each.icon === opened.value?.icon);
  return (
    <>
      <PageHead title={title} about={about} />
      <div class="stack">
        {children}
        <Card isFlush>
          <Answer of={of} lines={5}>
            {({ sites }) => (
              <SitesTable<A['sites'][number]>
                {...{ icon, sites, columns, ...(noneAbout !== undefined && { noneAbout }) }}
                caption={title}
                buttons={(each) =>
                  buttons
                    .filter(({ isFor }) => isFor?.(each) !== false)
                    .map(({ icon: shown, label }) => (
                      <IconButton
                        key={shown}
                        icon={shown}
                        label={label(toUnicode(each.domain_url))}
                        onClick={() => void (opened.value = { icon: shown, name: each.domain_url })}
                      />
                    ))
                }
              />
            )}
          </Answer>
        </Card>
      </div>
      {of.data && site && dialog?.opens(site, () => void (opened.value = undefined), of.data)}
    </>
  );
}
