import { signal, type Signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { GROUPS, type AreaPage, type Group, type PlacedPage } from '../kit/area.ts';
import { at } from '../kit/place/base-path.ts';
import { Icon } from '../kit/icon.tsx';
import { t } from '../kit/text/i18n.ts';
import { session } from '../kit/server/session.ts';

const STORED = 'hostkeep-navigation';
/** With as many pages, all of them have room on a screen. */
const SHORT = 20;

type Unfolded = Readonly<Partial<Record<Group, boolean>>>;
const unfolded = signal(stored());

function stored(): Unfolded {
  try {
    return (JSON.parse(localStorage.getItem(STORED) ?? '{}') as Unfolded | null) ?? {};
  } catch {
    return {}; // what is stored is not ours
  }
}

/** Keeps how somebody left the groups; one that they enter stays open. */
function unfold(group: Group, isUnfolded: boolean): void {
  unfolded.value = { ...unfolded.value, [group]: isUnfolded };
  localStorage.setItem(STORED, JSON.stringify(unfolded.value));
}

export function Mark() {
  return (
    <span class="mark" aria-hidden="true">
      <svg
        width="18"
        height="18"
        viewBox="0 0 18 18"
        fill="none"
        stroke="currentColor"
        stroke-width="2.4"
        stroke-linecap="round"
      >
        <path d="M4 3.500v11M14 3.500v11M4 9h10" />
      </svg>
    </span>
  );
}

interface NavigationProps {
  readonly application: 'home' | 'console';
  readonly pages: readonly PlacedPage[];
  readonly current: AreaPage | undefined;
  readonly isOpen: Signal<boolean>;
}

export function Navigation({ application, pages, current, isOpen }: NavigationProps) {
  useEffect(() => {
    const close = (event: KeyboardEvent) => event.key === 'Escape' && (isOpen.value = false);
    document.addEventListener('keydown', close);
    return () => document.removeEventListener('keydown', close);
  }, []);
  useEffect(() => {
    if (current?.group !== undefined) unfold(current.group, true);
  }, [current?.group]);
  const shown = pages.filter(({ isHidden }) => (typeof isHidden === 'function' ? !isHidden() : isHidden !== true));
  return (
    <>
      {isOpen.value && (
        <button type="button" class="scrim" aria-label={t('pages.closeMenu')} onClick={() => (isOpen.value = false)} />
      )}
      <nav class="side" data-open={isOpen.value} aria-label={t('pages.navigation')}>
        <a class="brand" href={at('/')}>
          <Mark /> {t(`pages.${application}`)}
        </a>
        <div class="nav">
          {shown.map((page) => {
            const { group } = page;
            const members = group === undefined ? [page] : shown.filter((each) => each.group === group);
            if (page !== members[0]) return null; // it stands with the first
            if (group === undefined || members.length === 1)
              return <Entry key={page.path} page={page} link={at(page.path)} current={current} hasIcon />;
            const isUnfolded = unfolded.value[group] ?? (shown.length <= SHORT || group === current?.group);
            return <Entries key={group} group={group} pages={members} current={current} isUnfolded={isUnfolded} />;
          })}
        </div>
        <p class="side-end small soft">Hostkeep {session.value?.version}</p>
      </nav>
    </>
  );
}

interface EntriesProps {
  readonly group: Group;
  readonly pages: readonly AreaPage[];
  readonly current: AreaPage | undefined;
  readonly isUnfolded: boolean;
}

function Entries({ group, pages, current, isUnfolded }: EntriesProps) {
  return (
    <>
      <button type="button" aria-expanded={isUnfolded} onClick={() => unfold(group, !isUnfolded)}>
        <Icon name={GROUPS[group]} />
        <span>{t(`pages.in.${group}`)}</span>
        <Icon name={isUnfolded ? 'down' : 'right'} />
      </button>
      {isUnfolded && (
        <div class="nav-group" role="group" aria-label={t(`pages.in.${group}`)}>
          {pages.map((page) => (
            <Entry key={page.path} page={page} link={at(page.path)} current={current} />
          ))}
        </div>
      )}
    </>
  );
}

interface EntryProps {
  readonly page: AreaPage;
  /** To the shown node of a fleet. Another node changes nothing else here, and what has not changed is not drawn again. */
  readonly link: string;
  readonly current: AreaPage | undefined;
  readonly hasIcon?: boolean;
}

function Entry({ page, link, current, hasIcon = false }: EntryProps) {
  return (
    <a href={link} aria-current={page.path === current?.path ? 'page' : undefined}>
      {hasIcon && <Icon name={page.icon} />}
      {t(page.title)}
    </a>
  );
}
