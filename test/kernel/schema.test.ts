import { Type as TypeBox } from '@sinclair/typebox';
import { Ajv } from 'ajv';
import * as assert from '../support/assert.ts';
import { schemaDefaults, Validator } from '../../kernel/config/validator.ts';
import { installedPlugins } from '../../kernel/host/discovery.ts';
import { KernelConfig } from '../../kernel/config/kernel-config.ts';
import { closed, Type, type TSchema } from '../../kernel/schema.ts';
import { testSuite } from '../support/suite.ts';

const test = testSuite('schemas');

/** One schema of every kind, made by either. */
function samples(type: typeof Type): TSchema[] {
  const address = type.Object({ street: type.String(), zip: type.Optional(type.String({ pattern: '^[0-9]+$' })) });
  return [
    type.String(),
    type.String({ minLength: 1, description: 'a name' }),
    type.Integer({ minimum: 0 }),
    type.Number({ maximum: 1.5 }),
    type.Boolean({ default: true }),
    type.Null(),
    type.Literal('yes'),
    type.Literal(true),
    type.Array(type.Integer(), { maxItems: 3 }),
    type.Union([type.String(), type.Null()], { description: 'or nothing' }),
    type.Tuple([type.String(), type.Integer()]),
    type.Record(type.String(), type.Boolean()),
    type.Record(type.String({ pattern: '^core_[0-9]+$' }), type.Number(), { description: 'by core' }),
    type.Unknown(),
    type.Unsafe<string>({ type: 'string', enum: ['a', 'b'] }),
    address,
    type.Object({}, { additionalProperties: false }),
    type.Object({ all: type.Optional(address) }),
    type.Partial(address, { minProperties: 1 }),
    type.Object({ ...type.Partial(address).properties, name: type.String() }),
  ];
}

test('our builders make what those of TypeBox make', () => {
  const [ours, theirs] = [samples(Type), samples(TypeBox as typeof Type)];
  for (const [i, schema] of ours.entries())
    assert.equal(JSON.parse(JSON.stringify(schema)), JSON.parse(JSON.stringify(theirs[i])), `sample ${i}`);
});

test('every schema of the product is a valid JSON Schema', async () => {
  const ajv = new Ajv({ strict: true, strictRequired: false, allowUnionTypes: true, formats: FORMATS });
  const check = (schema: TSchema | undefined, where: string) => {
    if (schema !== undefined) assert.ok(ajv.validateSchema(schema), `${where}: ${ajv.errorsText()}`);
    if (schema !== undefined) assert.not.throws(() => ajv.compile(schema), where);
  };
  check(KernelConfig, 'the configuration');
  let count = 0;
  for (const installed of installedPlugins()) {
    const plugin = await installed.load();
    check(plugin.config, `settings of ${plugin.name}`);
    const settings: Record<string, unknown> = {};
    if (plugin.config !== undefined) {
      assert.equal(new Validator(plugin.config).issues(settings), [], `${plugin.name} has a default for each setting`);
      assert.equal(schemaDefaults(plugin.config), settings, plugin.name);
    }
    const routes = typeof plugin.routes === 'function' ? plugin.routes(settings) : plugin.routes;
    for (const [name, { params, query, body, reply, replies = {} }] of Object.entries(routes)) {
      for (const schema of [params, query, body, reply, ...Object.values(replies)])
        check(schema, `${plugin.name}.${name}`);
      count += 1;
    }
  }
  assert.ok(count > 60, `${count} routes`);
});

const FORMATS = { binary: true, uri: true, 'date-time': true, date: true } as const;

test('objects are closed at every depth, unless they say otherwise', () => {
  const inner = Type.Object({ a: Type.String() });
  const schema = closed(
    Type.Object({
      list: Type.Array(inner),
      either: Type.Union([inner, Type.Null()]),
      open: Type.Object({ b: Type.String() }, { additionalProperties: true }),
      map: Type.Record(Type.String(), inner),
    }),
  );
  const issues = (value: unknown) => new Validator(schema).issues(value).map(({ path }) => path);
  const good = { list: [{ a: 'x' }], either: null, open: { b: 'x', c: 1 }, map: { any: { a: 'x' } } };
  assert.equal(issues(good), []);
  assert.equal(issues({ ...good, more: 1 }), ['/more']);
  assert.equal(issues({ ...good, list: [{ a: 'x', b: 1 }] }), ['/list/0/b']);
  assert.equal(issues({ ...good, map: { any: { a: 'x', b: 1 } } }), ['/map/any/b']);
  assert.ok(issues({ ...good, either: { a: 'x', b: 1 } }).length > 0);
});

test('a time is one of RFC 3339, with its zone', () => {
  const issues = (value: string) => new Validator(Type.String({ format: 'date-time' })).issues(value).length;
  for (const text of [
    'yesterday',
    '',
    '2026-01-31',
    '2026-13-45T99:99:99Z',
    '2026-01-31T12:00:00',
    '2026-01-31 12:00:00Z',
  ])
    assert.is(issues(text), 1, text);
  for (const text of ['2026-01-31T12:00:00Z', '2026-01-31T12:00:00.123456789Z', '2026-01-31T12:00:00+01:00'])
    assert.is(issues(text), 0, text);
});

test('a name that a client made up is told as far as anybody reads it', () => {
  const validator = new Validator(Type.Object({ listen: Type.Number() }, { additionalProperties: false }));
  const long = '['.repeat(20_000);
  assert.equal(validator.faults({ listen: 1, [long]: 1 }), [
    { path: `/${'['.repeat(64)}…`, message: 'is not known here' },
  ]);
  assert.equal(validator.faults({ listen: 1, lisent: 1 }), [
    { path: '/lisent', message: 'is not known here; did you mean listen?' },
  ]);
});
