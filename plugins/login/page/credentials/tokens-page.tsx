import { useSignal } from '@preact/signals';
import {
  Answer,
  api,
  Button,
  Card,
  ConfirmDialog,
  Empty,
  endingColumns,
  sendRemoval,
  t,
  TabbedHead,
  Table,
  Time,
  toast,
  useQuery,
  type Column,
  type ReplyOf,
} from '../../../pages/kit/index.ts';
import { MakeToken } from './make-token.tsx';

type Token = ReplyOf<'GET /api/account/tokens'>['tokens'][number];

/** The API tokens of scripts: what they may do, when they were used, and how to make and end them. */
export default function TokensPage() {
  const list = useQuery('tokens', (signal) => api('GET /api/account/tokens', { signal }));
  const isMaking = useSignal(false);
  const ending = useSignal<Token | undefined>(undefined);
  const end = async ({ id, name }: Token) => {
    await sendRemoval('DELETE /api/account/tokens/:id', { params: { id } });
    toast(t('login.tokenEnded', { name }));
    ending.value = undefined;
    list.reload();
  };
  const add = (
    <Button isSmall kind="primary" isDisabled={list.data === undefined} onClick={() => void (isMaking.value = true)}>
      {t('login.makeToken')}
    </Button>
  );
  return (
    <>
      <TabbedHead of="/account" />
      <Card title={t('login.tokens')} isFlush end={add}>
        <Answer of={list}>
          {({ tokens }) =>
            tokens.length === 0 ? (
              <Empty icon="key" title={t('login.noTokens')}>
                {t('login.noTokensAbout')}
              </Empty>
            ) : (
              <Table
                caption={t('login.tokens')}
                rows={tokens}
                keyOf={({ id }) => id}
                columns={columnsOf((token) => void (ending.value = token))}
              />
            )
          }
        </Answer>
      </Card>
      {isMaking.value && list.data && (
        <MakeToken
          scopes={list.data.scopes}
          onMade={() => list.reload()}
          onClose={() => void (isMaking.value = false)}
        />
      )}
      {ending.value !== undefined && (
        <ConfirmDialog
          title={t('login.endToken', { name: ending.value.name })}
          action={t('pages.end')}
          onConfirm={() => (ending.value === undefined ? Promise.resolve() : end(ending.value))}
          onClose={() => void (ending.value = undefined)}
        >
          <p>{t('login.endTokenAbout')}</p>
        </ConfirmDialog>
      )}
    </>
  );
}

function columnsOf(onEnd: (token: Token) => void): readonly Column<Token>[] {
  return [
    {
      name: 'name',
      title: t('login.tokenName'),
      by: ({ name }) => name,
      cell: ({ name }) => <b class="wrap">{name}</b>,
    },
    {
      name: 'scopes',
      title: t('login.tokenScopes'),
      cell: ({ scopes, networks }) => (
        <span class="wrap small">
          {scopes.join(', ')}
          {networks.length > 0 && <span class="soft"> · {networks.join(', ')}</span>}
        </span>
      ),
    },
    {
      name: 'used',
      title: t('login.tokenUsed'),
      by: ({ last_used_at: at }) => at ?? '',
      cell: ({ last_used_at: at, last_used_from: from }) =>
        at === null ? (
          t('login.tokenUnused')
        ) : (
          <span class="wrap">
            <Time at={at} isRelative /> <span class="soft number">{from}</span>
          </span>
        ),
    },
    ...endingColumns<Token>({ labelOf: ({ name }) => t('login.endToken', { name }), onEnd }),
  ];
}
