import { signal } from '@preact/signals';

/** How many dialogs are open, whose texts a page that goes would take with it. */
export const openDialogs = signal(0);

/** The title of the page below the open dialog, if its feature was switched off meanwhile. */
export const withdrawn = signal<string | undefined>(undefined);
