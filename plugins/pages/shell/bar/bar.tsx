import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { allAreas, type AreaPage } from '../../kit/area.ts';
import { Button, Choices } from '../../kit/button.tsx';
import { Icon } from '../../kit/icon.tsx';
import { language, t } from '../../kit/text/i18n.ts';
import { logOut, mayOpen, session } from '../../kit/server/session.ts';
import { attempt, toastError } from '../../kit/toasts.tsx';
import { chooseLanguage } from './choose-language.ts';
import { KeysDialog } from './keys-dialog.tsx';
import { languageNames } from '../login/login.tsx';
import { Palette } from './palette.tsx';
import { applyTheme, theme, THEMES } from './theme.ts';

interface BarProps {
  readonly pages: readonly AreaPage[];
  /** The page below; `undefined` where there is none. */
  readonly current: AreaPage | undefined;
  readonly isMenuOpen: boolean;
  readonly onMenu: () => void;
}

/** Whether a key belongs to what is typed into, not to the page. */
function isTyping({ target }: Event): boolean {
  return (
    target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}

export function Bar({ pages, current, isMenuOpen, onMenu }: BarProps) {
  const shown = useSignal<'palette' | 'keys' | undefined>(undefined);
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const isPalette = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k';
      if (!isPalette && (isTyping(event) || event.ctrlKey || event.metaKey || event.altKey)) return;
      if (!isPalette && event.key !== '/' && event.key !== '?') return;
      if (document.querySelector('dialog[open]') !== null) return;
      event.preventDefault();
      shown.value = event.key === '?' ? 'keys' : 'palette';
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  }, []);
  const close = () => void (shown.value = undefined);
  return (
    <header class="bar">
      <span class="menu-button">
        <Button kind="plain" icon="menu" label={t('pages.openMenu')} isExpanded={isMenuOpen} onClick={onMenu} />
      </span>
      <button
        type="button"
        class="search-button"
        aria-keyshortcuts="Control+K /"
        onClick={() => void (shown.value = 'palette')}
      >
        <Icon name="search" />
        <span>{t('pages.search')}</span>
        <kbd aria-hidden="true">{/Mac/.test(navigator.platform) ? '⌘ K' : 'Ctrl K'}</kbd>
      </button>
      <div class="bar-end">
        {current !== undefined &&
          allAreas().map((area) => {
            const { name, inBar: Part } = area;
            return Part && mayOpen(area, undefined) && <Part key={name} page={current} />;
          })}
        <Button kind="plain" icon="keys" label={t('pages.keys')} onClick={() => void (shown.value = 'keys')} />
        <UserMenu />
      </div>
      {shown.value === 'palette' && <Palette pages={pages} onClose={close} />}
      {shown.value === 'keys' && <KeysDialog onClose={close} />}
    </header>
  );
}

/** Theme, language and logout. */
function UserMenu() {
  const isOpen = useSignal(false);
  const menu = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const leave = (event: Event) => {
      const isInside = event.target instanceof Node && menu.current?.contains(event.target) === true;
      if (!isInside || (event instanceof KeyboardEvent && event.key === 'Escape')) isOpen.value = false;
    };
    const events = ['pointerdown', 'focusin', 'keydown'];
    for (const each of events) document.addEventListener(each, leave);
    return () => {
      for (const each of events) document.removeEventListener(each, leave);
    };
  }, []);
  return (
    <div class="menu" ref={menu}>
      <Button
        kind="plain"
        icon="user"
        label={t('pages.menuOf', { name: session.value?.username ?? '' })}
        isExpanded={isOpen.value}
        onClick={() => void (isOpen.value = !isOpen.value)}
      />
      {isOpen.value && (
        <div class="menu-list">
          <p class="label wrap">{session.value?.username}</p>
          <Choices
            label={t('pages.theme')}
            value={theme.value}
            of={THEMES.map((each) => [each, t(`pages.theme.${each}`)] as const)}
            onChange={applyTheme}
          />
          <Choices
            label={t('pages.language')}
            value={language.value}
            of={languageNames}
            onChange={(each) => void attempt(() => chooseLanguage(each))}
          />
          <Button kind="plain" icon="logout" onClick={() => logOut().catch(toastError)}>
            {t('pages.logout')}
          </Button>
        </div>
      )}
    </div>
  );
}
