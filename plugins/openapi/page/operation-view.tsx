import { t } from '../../pages/kit/index.ts';
import type { Document, Media, Operation } from './document.ts';
import { Fold } from './fold.tsx';
import { Prose } from './prose.tsx';
import { SchemaView } from './schema-view.tsx';
import { TryForm } from './try-form.tsx';

interface OperationViewProps {
  readonly operation: Operation;
  readonly document: Document;
  readonly token: string;
}

/** Shows an operation: purpose, needs, request and replies. */
export function OperationView({ operation, document, token }: OperationViewProps) {
  const { description, requestBody, responses } = operation;
  const facts: readonly (readonly [string, readonly string[] | undefined])[] = [
    [t('openapi.features'), operation['x-hostkeep-feature']],
    [t('openapi.also'), operation['x-hostkeep-also']],
    [t('openapi.scopes'), operation['x-hostkeep-scopes']],
  ];
  const body = requestBody?.content['application/json'];
  return (
    <>
      {description !== undefined && (
        <p class="wrap">
          <Prose text={description} />
        </p>
      )}
      <dl class="facts small">
        {facts.map(
          ([title, names = []]) =>
            names.length > 0 && (
              <>
                <dt>{title}</dt>
                <dd class="wrap">{names.join(', ')}</dd>
              </>
            ),
        )}
      </dl>
      <TryForm operation={operation} token={token} />
      {body?.schema !== undefined && (
        <Fold head={t('openapi.body')}>
          <SchemaView schema={body.schema} document={document} />
        </Fold>
      )}
      {Object.entries(responses).map(([status, { description: about, content = {} }]) => (
        <Fold
          key={status}
          head={
            <>
              <span class="number">{status}</span>{' '}
              <span class="soft wrap">
                <Prose text={about} />
              </span>
            </>
          }
        >
          {Object.entries(content).map(([type, media]) => (
            <MediaView key={type} type={type} media={media} document={document} />
          ))}
        </Fold>
      ))}
    </>
  );
}

function MediaView(props: { readonly type: string; readonly media: Media; readonly document: Document }) {
  const { schema, example } = props.media;
  return (
    <>
      <p class="small soft">{props.type}</p>
      {schema !== undefined && <SchemaView schema={schema} document={props.document} />}
      {example !== undefined && <pre class="code">{JSON.stringify(example, undefined, 2)}</pre>}
    </>
  );
}
