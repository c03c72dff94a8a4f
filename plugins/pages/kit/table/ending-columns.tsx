import { Button } from '../button.tsx';
import { t } from '../text/i18n.ts';
import { actionsColumn, timeColumn } from './columns.tsx';
import type { Column } from './table.tsx';

interface Ending<T> {
  /** Names, for the button, the row that it ends. */
  readonly labelOf: (row: T) => string;
  readonly onEnd: (row: T) => void | Promise<void>;
  readonly mayEnd?: (row: T) => boolean;
}

/** The last columns of what expires: when it does, and the button that ends it before. */
export function endingColumns<T extends { readonly expires_at: string }>({
  labelOf,
  onEnd,
  mayEnd = () => true,
}: Ending<T>): readonly Column<T>[] {
  return [
    timeColumn('ends', t('pages.endsAt'), ({ expires_at: at }) => at, { isRelative: true }),
    actionsColumn(
      (row) =>
        mayEnd(row) && (
          <Button isSmall kind="plain" isBad label={labelOf(row)} onClick={() => onEnd(row)}>
            {t('pages.end')}
          </Button>
        ),
    ),
  ];
}
