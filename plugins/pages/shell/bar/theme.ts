import { signal } from '@preact/signals';

export const THEMES = ['auto', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];
const STORED = 'hostkeep-theme';

export const theme = signal<Theme>(THEMES.find((each) => each === localStorage.getItem(STORED)) ?? 'auto');

export function applyTheme(next: Theme = theme.value): void {
  theme.value = next;
  localStorage.setItem(STORED, next);
  if (next === 'auto') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = next;
}
