import type { ComponentChildren } from 'preact';
import { Answer, attempt, Button, Card, t, toast, type Query } from '../../../pages/kit/index.ts';

interface EndableListProps<T> {
  readonly title: string;
  readonly list: Query<readonly T[]>;
  readonly none: string;
  readonly line: (row: T) => ComponentChildren;
  /** Names, for the button of a row, the item that it ends. */
  readonly labelOf: (row: T) => string;
  /** Ends one, or all, and resolves with what was done. */
  readonly end: (row?: T) => Promise<string>;
}

/** Lists items of an account that an operator may end, one by one or all at once. */
export function EndableList<T extends { readonly id: string }>(props: EndableListProps<T>) {
  const { title, list, none, line, labelOf } = props;
  const end = (row?: T) =>
    attempt(async () => {
      toast(await props.end(row));
      list.reload();
    });
  return (
    <Card
      title={title}
      end={
        (list.data?.length ?? 0) > 0 && (
          <Button isSmall onClick={() => end()}>
            {t('accounts.endAll')}
          </Button>
        )
      }
    >
      <Answer of={list}>
        {(rows) =>
          rows.length === 0 ? (
            <p class="soft">{none}</p>
          ) : (
            <ul class="stack tight">
              {rows.map((row) => (
                <li key={row.id} class="row apart nowrap">
                  {line(row)}
                  <Button isSmall kind="plain" isBad label={labelOf(row)} onClick={() => end(row)}>
                    {t('accounts.end')}
                  </Button>
                </li>
              ))}
            </ul>
          )
        }
      </Answer>
    </Card>
  );
}
