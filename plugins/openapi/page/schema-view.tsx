import { Badge, t } from '../../pages/kit/index.ts';
import { schemaName, resolve, type Document, type Schema } from './document.ts';
import { Fold } from './fold.tsx';
import { Prose } from './prose.tsx';

interface SchemaViewProps {
  readonly schema: Schema;
  readonly document: Document;
}

/** The members of an object, or of what a list or a choice holds; objects inside them unfold. */
export function SchemaView({ schema, document }: SchemaViewProps) {
  const whole = objectIn(schema, document);
  if (whole === undefined) return <p class="small soft">{typeText(schema)}</p>;
  return (
    <ul class="members">
      {Object.entries(whole.properties ?? {}).map(([name, member]) => (
        <Member
          key={name}
          name={name}
          schema={member}
          document={document}
          isRequired={whole.required?.includes(name) === true}
        />
      ))}
      {typeof whole.additionalProperties === 'object' && (
        <Member name="…" schema={whole.additionalProperties} document={document} isRequired={false} />
      )}
    </ul>
  );
}

function Member(props: SchemaViewProps & { readonly name: string; readonly isRequired: boolean }) {
  const { name, schema, document, isRequired } = props;
  const about = schema.description ?? resolve(schema, document).description;
  const head = (
    <>
      <code class="wrap">{name}</code>
      <span class="small soft wrap">{typeText(schema)}</span>
      {isRequired && <Badge>{t('openapi.required')}</Badge>}
    </>
  );
  return (
    <li>
      {objectIn(schema, document) === undefined ? (
        <div class="row">{head}</div>
      ) : (
        <Fold head={head}>
          <SchemaView schema={schema} document={document} />
        </Fold>
      )}
      {about !== undefined && (
        <p class="small soft wrap">
          <Prose text={about} />
        </p>
      )}
    </li>
  );
}

/** Returns the object that a schema is, or holds as a list or as one of several. */
function objectIn(schema: Schema, document: Document): Schema | undefined {
  const whole = resolve(schema, document);
  if (whole.properties !== undefined || typeof whole.additionalProperties === 'object') return whole;
  if (whole.items !== undefined) return objectIn(whole.items, document);
  return whole.anyOf?.map((each) => objectIn(each, document)).find((each) => each !== undefined);
}

/** Returns a type in a few words, as `string (date-time)` or `Session[]`. */
export function typeText(schema: Schema): string {
  const name = schemaName(schema);
  if (name !== undefined) return name;
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return schema.enum.map((each) => JSON.stringify(each)).join(' | ');
  if (schema.anyOf !== undefined) return schema.anyOf.map(typeText).join(' | ');
  if (schema.prefixItems !== undefined) return `[${schema.prefixItems.map(typeText).join(', ')}]`;
  if (schema.items !== undefined) return `${typeText(schema.items)}[]`;
  return schema.format === undefined ? (schema.type ?? '') : `${schema.type ?? ''} (${schema.format})`;
}
