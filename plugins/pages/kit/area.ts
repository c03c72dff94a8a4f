import type { ComponentType } from 'preact';
import type { TextKey } from 'hostkeep:text-keys';
import type { IconName } from './icon.tsx';
import type { RemoveFiles, SendBatch, SendFile } from './server/sending.ts';

type Load = () => Promise<{ readonly default: ComponentType }>;

/** The groups of the navigation, each with its icon. */
export const GROUPS = {
  sites: 'globe',
  security: 'lock',
  traffic: 'users',
  storage: 'folder',
  databases: 'database',
  advanced: 'sliders',
  customers: 'users',
  backups: 'shield',
  server: 'servers',
  activity: 'clock',
} as const satisfies Record<string, IconName>;
export type Group = keyof typeof GROUPS;

/** A page of an area, at a path below that of its application. */
export interface AreaPage {
  readonly path: string;
  readonly title: TextKey;
  /** Stands below the title where tabs lead to further pages. */
  readonly about?: TextKey;
  /** The name of its tab; its title unless given. */
  readonly tab?: TextKey;
  readonly icon: IconName;
  /** Where it stands in the navigation: by itself unless given. A group stands in the place of its first page. */
  readonly group?: Group;
  /** Of these features any one opens the page; none means everybody. */
  readonly features?: readonly string[];
  readonly load: Load;
  /** Whether the navigation leaves it out, because another page leads to it, or because there is nothing to see yet. */
  readonly isHidden?: boolean | (() => boolean);
  /** Whether it is about one machine: then it asks with `ofNode()`, and begins anew where another node is chosen. */
  readonly isOfNode?: boolean;
  /** Further paths at which the page shows itself, such as its tabs. */
  readonly below?: boolean;
  /** Whether it is shown before anybody has logged in, too. */
  readonly isPublic?: boolean;
}

/** A part of a page of any area, such as of the overview. */
export interface Part {
  /** The path of the page. */
  readonly page: string;
  /** Lower comes first. */
  readonly order: number;
  readonly features?: readonly string[];
  /** Whether it takes the whole width. */
  readonly isWide?: boolean;
  readonly load: Load;
}

/** Something that the palette finds: a thing of the customer, by name. */
export interface Found {
  readonly group: TextKey;
  readonly icon: IconName;
  readonly title: string;
  readonly detail?: string;
  /** A path of the application, or a URL. */
  readonly link: string;
  /** The node of a fleet to which it leads; the chosen one unless given. */
  readonly node?: string;
}

/** A plugin's part of an application: the default export of its `page/home.tsx` or `page/console.tsx`. */
export interface Area {
  /** The name of the plugin; where that is switched off, nothing of the area is shown. */
  readonly name: string;
  /** Place in the navigation; lower comes first. */
  readonly order: number;
  readonly pages?: readonly AreaPage[];
  readonly parts?: readonly Part[];
  /** Stands in the bar above each page, and gets that page. */
  readonly inBar?: ComponentType<{ readonly page: AreaPage }>;
  /** Sends files of this size and larger so that they go on after the connection broke; see `resumableSender`. */
  readonly sender?: {
    readonly features: readonly string[];
    readonly minBytes: number;
    readonly load: () => Promise<{ readonly default: SendFile }>;
  };
  /** Sends many small files in one request; see `batchSender`. */
  readonly batches?: {
    readonly features: readonly string[];
    readonly load: () => Promise<{ readonly default: SendBatch }>;
  };
  /** Removes files; see `fileRemover`. */
  readonly removal?: {
    readonly features: readonly string[];
    readonly load: () => Promise<{ readonly default: RemoveFiles }>;
  };
  /** Finds things for the palette. */
  readonly find?: { readonly features: readonly string[]; readonly by: (text: string) => Promise<readonly Found[]> };
}

let known: readonly Area[] = [];

/** Says which areas the application has, before anything is shown. */
export function setAreas(areas: readonly Area[]): void {
  known = areas;
}

/** Returns the areas of the application. */
export const allAreas = (): readonly Area[] => known;

export type PlacedPage = AreaPage & { readonly area: Area };

/** Returns the pages of all areas, in the order of the navigation. */
export function allPages(): PlacedPage[] {
  return known
    .toSorted((a, b) => a.order - b.order)
    .flatMap((area) => (area.pages ?? []).map((page) => ({ ...page, area })));
}

/** Type-checks an area. */
export function defineArea(area: Area): Area {
  return area;
}
