import { useComputed, useSignal } from '@preact/signals';
import { useEffect, useId, useLayoutEffect, useRef } from 'preact/hooks';
import { useLocation } from 'preact-iso/router';
import { allAreas, type AreaPage, type Found } from '../../kit/area.ts';
import { at, linkTo } from '../../kit/place/base-path.ts';
import { Icon } from '../../kit/icon.tsx';
import { t } from '../../kit/text/i18n.ts';
import { mayOpen } from '../../kit/server/session.ts';
import { errorText } from '../../kit/toasts.tsx';

const RECENT = 'hostkeep-recent';
const RECENT_KEPT = 5;
const IN_A_GROUP = 6;
/** How long typing rests before the server is asked. */
const REST_MS = 120;

interface PaletteProps {
  readonly pages: readonly AreaPage[];
  readonly onClose: () => void;
}

/** Finds pages and what the areas know by name, grouped; what was opened last comes first. */
export function Palette({ pages, onClose }: PaletteProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const { route } = useLocation();
  const id = useId();
  const text = useSignal('');
  const chosen = useSignal(0);
  const answer = useSignal<Result>(NOTHING);
  useLayoutEffect(() => dialog.current?.showModal(), []);
  useEffect(() => {
    let isLatest = true; // an answer may come after that of the next question
    const take = (given: Result) => isLatest && (answer.value = given);
    const timer = setTimeout(() => void ask(text.value).then(take), REST_MS);
    return () => {
      isLatest = false;
      clearTimeout(timer);
    };
  }, [text.value]);
  const found = useComputed(() => {
    const matching = pagesFor(pages, text.value);
    return text.value.trim() === '' ? [...recent(), ...matching] : [...matching, ...answer.value.found];
  });
  const open = (each: Found | undefined) => {
    if (each === undefined) return;
    remember(each);
    dialog.current?.close();
    if (each.link.startsWith('/')) route(linkTo(each.link, each.node));
    else window.open(each.link, '_blank', 'noopener');
  };
  const press = (event: KeyboardEvent) => {
    const count = found.value.length;
    if (event.key === 'Enter') open(found.value[chosen.value]);
    else if (event.key === 'ArrowDown') chosen.value = count === 0 ? 0 : (chosen.value + 1) % count;
    else if (event.key === 'ArrowUp') chosen.value = count === 0 ? 0 : (chosen.value + count - 1) % count;
    else return;
    event.preventDefault();
    document.getElementById(`${id}-${chosen.value}`)?.scrollIntoView({ block: 'nearest' });
  };
  return (
    <dialog
      ref={dialog}
      class="palette"
      aria-label={t('pages.search')}
      onClose={onClose}
      onClick={(event) => event.target === dialog.current && dialog.current?.close()}
    >
      <input
        class="input"
        role="combobox"
        aria-expanded="true"
        aria-controls={`${id}-list`}
        aria-activedescendant={found.value.length > 0 ? `${id}-${chosen.value}` : undefined}
        aria-label={t('pages.search')}
        placeholder={t('pages.search')}
        autocomplete="off"
        spellcheck={false}
        value={text.value}
        onInput={(event) => {
          text.value = event.currentTarget.value;
          chosen.value = 0;
        }}
        onKeyDown={press}
      />
      <div id={`${id}-list`} class="palette-list" role="listbox" aria-label={t('pages.results')} tabIndex={-1}>
        {found.value.map((each, i) => (
          <Option
            key={`${each.group} ${each.link} ${each.title}`}
            id={`${id}-${i}`}
            found={each}
            isFirst={each.group !== found.value[i - 1]?.group}
            isChosen={i === chosen.value}
            onOpen={() => open(each)}
          />
        ))}
      </div>
      {answer.value.failure !== undefined && (
        <p class="notice-bar small" role="alert">
          {t('pages.searchFailed', { reason: errorText(answer.value.failure) })}
        </p>
      )}
      {found.value.length === 0 && answer.value.failure === undefined && (
        <p class="empty soft">{t('pages.nothingFound')}</p>
      )}
    </dialog>
  );
}

function Option(props: {
  readonly id: string;
  readonly found: Found;
  readonly isFirst: boolean;
  readonly isChosen: boolean;
  readonly onOpen: () => void;
}) {
  const { group, icon, title, detail } = props.found;
  return (
    <>
      {props.isFirst && (
        <div class="label" role="presentation">
          {t(group)}
        </div>
      )}
      <div id={props.id} role="option" aria-selected={props.isChosen} onClick={props.onOpen}>
        <Icon name={icon} />
        <span>
          <span class="wrap">{title}</span>
          {detail !== undefined && <span class="small soft wrap">{detail}</span>}
        </span>
      </div>
    </>
  );
}

function pagesFor(pages: readonly AreaPage[], text: string): Found[] {
  const wanted = text.trim().toLowerCase();
  return pages
    .filter(({ isHidden, below }) => isHidden !== true || below !== true) // which is of one thing, to be named
    .map(({ title, icon, path }) => ({ group: 'pages.group.pages' as const, icon, title: t(title), link: at(path) }))
    .filter(({ title }) => title.toLowerCase().includes(wanted));
}

interface Result {
  readonly found: readonly Found[];
  /** Why an area could not answer; of several the first. */
  readonly failure?: unknown;
}
const NOTHING: Result = { found: [] };

/** Asks all areas at once; one that fails costs its own part only, and the answer says so. */
async function ask(text: string): Promise<Result> {
  const wanted = text.trim();
  if (wanted === '') return NOTHING;
  const able = allAreas().flatMap((area) => (area.find && mayOpen(area, area.find.features) ? [area.find] : []));
  const parts = await Promise.allSettled(able.map((find) => find.by(wanted)));
  const found = parts.flatMap((part) => (part.status === 'fulfilled' ? part.value.slice(0, IN_A_GROUP) : []));
  const failed = parts.find((part) => part.status === 'rejected');
  return { found, ...(failed !== undefined && { failure: failed.reason as unknown }) };
}

function recent(): Found[] {
  try {
    const kept = JSON.parse(localStorage.getItem(RECENT) ?? '[]') as Found[];
    return kept.map((each) => ({ ...each, group: 'pages.group.recent' as const, icon: 'clock' as const }));
  } catch {
    return []; // what is stored is no list of ours
  }
}

function remember(found: Found): void {
  const kept = found.link.startsWith('/') ? { ...found, link: linkTo(found.link, '') } : found;
  const others = recent().filter(({ link, node }) => link !== kept.link || node !== kept.node);
  localStorage.setItem(RECENT, JSON.stringify([kept, ...others].slice(0, RECENT_KEPT)));
}
