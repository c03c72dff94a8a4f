import type { ComponentType } from 'preact';
import { allAreas, type Area, type Part } from './area.ts';
import { Guarded } from './guarded.tsx';
import { lazy } from './lazy.tsx';
import { mayOpen } from './server/session.ts';

let parts: readonly (Part & { readonly area: Area; readonly id: number; readonly View: ComponentType })[] | undefined;

function partsAt(path: string) {
  parts ??= allAreas()
    .flatMap((area) => (area.parts ?? []).map((part) => ({ ...part, area })))
    .toSorted((a, b) => a.order - b.order)
    .map((part, id) => ({ ...part, id, View: lazy(part.page, part.load) }));
  return parts.filter(({ area, page, features }) => page === path && mayOpen(area, features));
}

/** Returns whether there is any part of the page that one may see. */
export function hasParts(path: string): boolean {
  return partsAt(path).length > 0;
}

/** The parts that the areas have for a page. One that fails costs its own place only. */
export function Parts({ of }: { readonly of: string }) {
  return (
    <>
      {partsAt(of).map(({ id, isWide, View }) => (
        <div key={id} class={isWide === true ? 'wide' : undefined}>
          <Guarded>
            <View />
          </Guarded>
        </div>
      ))}
    </>
  );
}
