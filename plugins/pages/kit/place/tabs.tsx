import { useLayoutEffect, useRef } from 'preact/hooks';
import { useLocation } from 'preact-iso/router';
import { at, pathAt } from './base-path.ts';

interface TabsProps {
  readonly label: string;
  readonly of: readonly (readonly [path: string, title: string])[];
}

/** Links between the pages of an area; the current one is in sight, also where they do not all fit. */
export function Tabs({ label, of }: TabsProps) {
  const path = useLocation().path.replace(/\/+$/, '');
  const nav = useRef<HTMLElement>(null);
  useLayoutEffect(() => nav.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' }), [path]);
  return (
    <nav ref={nav} class="tabs" aria-label={label}>
      {of.map(([to, title]) => (
        <a key={to} href={at(to)} aria-current={path === pathAt(to) ? 'page' : undefined}>
          {title}
        </a>
      ))}
    </nav>
  );
}
