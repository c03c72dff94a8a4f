import { useSignal } from '@preact/signals';
import {
  Answer,
  Badge,
  Button,
  Card,
  Empty,
  FilterInput,
  PageHead,
  Panel,
  PasswordField,
  session,
  t,
  useAddressState,
  useQuery,
} from '../../pages/kit/index.ts';
import { groupOperations, type Document, type Group } from './document.ts';
import { Fold } from './fold.tsx';
import { OperationView } from './operation-view.tsx';
import { Prose } from './prose.tsx';
import { readDescription } from './request.ts';

/** Every operation that the session may use, or an API token that is typed in; to read, to copy and to try. */
export default function DocsPage() {
  const [{ search, operation }, set] = useAddressState('search', 'operation');
  const token = useSignal('');
  const key = `${session.value?.username ?? ''} ${token.value} ${session.value?.features.join() ?? ''}`;
  const description = useQuery(key, (signal) => readDescription(token.value, signal));
  return (
    <>
      <PageHead title={t('openapi.title')} about={t('openapi.about')} />
      <div class="stack">
        {session.value == null && token.value === '' && (
          <Panel icon="info" title={t('openapi.guest')}>
            <p class="soft">{t('openapi.guestAbout')}</p>
          </Panel>
        )}
        <div class="row">
          <FilterInput label={t('openapi.search')} value={search} onChange={(text) => set({ search: text })} />
        </div>
        <Fold head={t('openapi.withToken')}>
          <TokenForm onUse={(text) => (token.value = text)} />
        </Fold>
        <Answer of={description} lines={8}>
          {(document) => (
            <Operations
              document={document}
              groups={groupOperations(document, search)}
              token={token.value}
              opened={operation}
              onOpen={(id) => set({ operation: id })}
            />
          )}
        </Answer>
      </div>
    </>
  );
}

/** Asks for a token, which counts only once it is said to be whole. */
function TokenForm({ onUse }: { readonly onUse: (token: string) => void }) {
  const typed = useSignal('');
  const use = (event: Event) => {
    event.preventDefault();
    onUse(typed.value.trim());
  };
  return (
    <form class="stack" onSubmit={use} noValidate>
      <PasswordField
        label={t('openapi.token')}
        hint={t('openapi.tokenHint')}
        value={typed.value}
        onChange={(text) => (typed.value = text)}
        autocomplete="off"
      />
      <div>
        <Button type="submit">{t('openapi.useToken')}</Button>
      </div>
    </form>
  );
}

interface OperationsProps {
  readonly document: Document;
  readonly groups: readonly Group[];
  readonly token: string;
  readonly opened: string;
  readonly onOpen: (operationId: string) => void;
}

function Operations({ document, groups, token, opened, onOpen }: OperationsProps) {
  if (groups.length === 0)
    return (
      <Empty icon="search" title={t('pages.nothingFound')}>
        {t('openapi.noneFound')}
      </Empty>
    );
  return (
    <>
      {groups.map(({ name, about, operations }) => (
        <Card key={name} title={name} isFlush>
          {about !== undefined && (
            <p class="soft about">
              <Prose text={about} />
            </p>
          )}
          <ul class="operations">
            {operations.map((each) => (
              <li key={each.operationId}>
                <Fold
                  isOpen={each.operationId === opened}
                  onToggle={(isOpen) => onOpen(isOpen ? each.operationId : '')}
                  head={
                    <>
                      <Badge tone={each.method === 'GET' ? 'accent' : each.method === 'DELETE' ? 'bad' : 'warn'}>
                        {each.method}
                      </Badge>
                      <code class="wrap">{each.path}</code>
                      <span class="soft wrap">{each.summary}</span>
                    </>
                  }
                >
                  <OperationView operation={each} document={document} token={token} />
                </Fold>
              </li>
            ))}
          </ul>
        </Card>
      ))}
    </>
  );
}
