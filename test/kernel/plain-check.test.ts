import { join } from 'node:path';
import * as fc from 'fast-check';
import * as assert from '../support/assert.ts';
import { readJson, SHIPPED } from '../../kernel/config/configuration.ts';
import { KernelConfig } from '../../kernel/config/kernel-config.ts';
import { plainlyFits } from '../../kernel/config/plain-check.ts';
import { Validator } from '../../kernel/config/validator.ts';
import { installedPlugins } from '../../kernel/host/discovery.ts';
import { closed, Type, type TSchema } from '../../kernel/schema.ts';
import { projectDir } from '../../kernel/kit/files/project-dir.ts';
import { testSuite } from '../support/suite.ts';

const test = testSuite('plain check of settings');

/** Values that fit a schema, or nearly. */
function near(schema: TSchema): fc.Arbitrary<unknown> {
  const { properties = {}, items, anyOf = [], enum: all = [] } = schema as Readonly<Record<string, unknown>>;
  const alternatives: fc.Arbitrary<unknown>[] = [
    fc.constantFrom<unknown>(...(all as unknown[]), schema['const'], schema['default'], null, true, '', 'a', '/a/b'),
    fc.integer({ min: -2, max: 70_000 }).map((n) => (n % 7 === 0 ? n + 0.5 : n)),
    fc.string({ unit: 'grapheme', maxLength: 20 }),
    ...(anyOf as TSchema[]).map(near),
  ];
  const members = Object.entries(properties as Record<string, TSchema>).map(
    ([name, its]) => [name, near(its)] as const,
  );
  const few = fc.record(Object.fromEntries(members), { requiredKeys: [] });
  if (schema['type'] === 'object')
    alternatives.push(
      few,
      fc
        .tuple(few, fc.dictionary(fc.string({ maxLength: 3 }), fc.boolean(), { maxKeys: 2 }))
        .map(([a, b]) => ({ ...a, ...b })),
    );
  if (items !== undefined) alternatives.push(fc.array(near(items as TSchema), { maxLength: 3 }));
  return fc.oneof(...alternatives, { weight: 4, arbitrary: alternatives.at(-1) ?? fc.constant(undefined) });
}

async function schemas(): Promise<Map<string, TSchema>> {
  const found = new Map<string, TSchema>([['the kernel', KernelConfig]]);
  for (const installed of installedPlugins()) {
    const { name, config } = await installed.load();
    if (config !== undefined) found.set(name, closed(config));
  }
  return found;
}

test('what fits plainly also fits for ajv, which fills in the same defaults', async () => {
  const all = await schemas();
  let fitting = 0;
  for (const [name, schema] of all) {
    const validator = new Validator(schema);
    const compare = (value: unknown) => {
      const [own, its] = [structuredClone(value), structuredClone(value)];
      if (!plainlyFits(schema, own)) return;
      fitting += 1;
      assert.equal(validator.issues(its), [], name);
      assert.equal(own, its, name);
    };
    fc.assert(fc.property(near(schema), compare), { numRuns: 800 });
  }
  assert.ok(fitting > 200, `${fitting} fitted`);
});

test('the shipped settings, and the defaults of every plugin, fit without ajv', async () => {
  for (const [name, schema] of await schemas())
    assert.ok(plainlyFits(schema, name === 'the kernel' ? readJson(join(projectDir, SHIPPED)) : {}), name);
});

test('what is not simple is left to ajv', () => {
  assert.not(plainlyFits(Type.Array(Type.String(), { uniqueItems: true }), []));
  assert.not(plainlyFits(Type.String({ format: 'uri' }), 'http://a'));
  assert.not(plainlyFits(Type.Tuple([Type.String()]), ['a']));
  assert.not(plainlyFits(Type.Union([Type.Object({}), Type.Null()]), {}));
  assert.not(plainlyFits(Type.Object({}, { additionalProperties: Type.String() }), { a: 'b' }));
});
