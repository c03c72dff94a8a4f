/** Changes of the API since the last release: what breaks clients must be in the changelog. `npm run changes` tells all. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from '../../support/assert.ts';
import { projectDir } from '../../../kernel/kit/files/project-dir.ts';
import { changesSince, present, released } from '../../client/changes.ts';
import { changesBetween, unannounced } from '../../support/api-changes.ts';
import type { Schema, Surface, SurfaceOperation } from '../../support/api-surface.ts';
import { TestServer } from '../../support/hostkeep.ts';
import { testSuite } from '../../support/suite.ts';
import { pick } from '../../support/lists.ts';

const test = testSuite('openapi, changes');

test('the changelog names each operation that breaks clients of the last release', async () => {
  const server = await TestServer.start();
  const changes = changesSince(released(), await present(server));
  await server.close();
  const changelog = readFileSync(join(projectDir, 'CHANGELOG.md'), 'utf8');
  const [, unreleased = ''] = changelog.split(/^## /m);
  assert.match(unreleased, /^[\d.]+ – unreleased\n/);
  assert.equal(
    unannounced(changes, unreleased).map(({ where, what }) => `${where}: ${what}`),
    [],
    'add "- **Breaking:** `<METHOD> <path>` …" to CHANGELOG.md, or leave it compatible',
  );
});

const text: Schema = { type: 'string', maxLength: 64 };
const note: Schema = { type: 'object', required: ['text'], properties: { text, at: { type: ['string', 'null'] } } };
const PUT: SurfaceOperation = {
  parameters: { 'query page': { required: false, schema: { type: 'integer' } } },
  body: note,
  replies: { '200 application/json': { type: 'array', items: note } },
  errors: ['notes_full'],
  needsToken: false,
};
const OLD: Surface = { schemas: ['Note'], operations: { 'PUT /notes': PUT } };
/** Returns the changes of an operation, those that break with `!`. */
const told = (changed: Partial<SurfaceOperation>) =>
  changesBetween(OLD, { ...OLD, operations: { 'PUT /notes': { ...PUT, ...changed } } }).map(
    ({ what, isBreaking }) => `${isBreaking ? '!' : ''}${what}`,
  );
const body = (changed: Partial<Schema>) => told({ body: { ...note, ...changed } });
const reply = (changed: Partial<Schema>) =>
  told({ replies: { '200 application/json': { type: 'array', items: { ...note, ...changed } } } });

test('what a client sends must still be accepted', () => {
  assert.equal(body({ properties: { text } }), ['!body.at is gone']);
  assert.equal(body({ required: ['text', 'at'] }), ['!body.at is required']);
  assert.equal(body({ properties: { ...note.properties, more: text } }), ['body.more is new']);
  assert.equal(body({ properties: { text: { type: 'string', maxLength: 32 }, at: { type: ['string', 'null'] } } }), [
    '!body.text has maxLength 32',
  ]);
  assert.equal(body({ properties: { text, at: { type: 'string' } } }), ['!body.at is never null']);
  assert.equal(body({ properties: { text, at: { type: ['string', 'null', 'integer'] } } }), ['body.at may be integer']);
  assert.equal(body({ properties: { text: { enum: ['a'] }, at: { type: ['string', 'null'] } } }).slice(0, 2), [
    'body.text may be "a"',
    '!body.text is never string',
  ]);
  assert.equal(told({ parameters: {} }), ['!query page is refused']);
  assert.equal(told({ parameters: { 'query page': { required: true, schema: { type: 'integer' } } } }), [
    '!query page is required',
  ]);
  assert.equal(told({ parameters: { ...PUT.parameters, 'query q': { required: false, schema: text } } }), [
    'takes query q',
  ]);
  assert.equal(told({ body: null }), ['!takes no body']);
  assert.equal(told({ needsToken: true }), ['!needs a token']);
});

test('what a client reads must still be there', () => {
  assert.equal(reply({ properties: { text } }), ['!reply[].at is gone']);
  assert.equal(reply({ required: [] }), ['!reply[].text may be missing']);
  assert.equal(reply({ properties: { ...note.properties, more: text } }), ['reply[].more is new']);
  assert.equal(reply({ properties: { text, at: { type: 'string' } } }), ['reply[].at is never null']);
  assert.equal(reply({ properties: { text: { type: ['string', 'null'] }, at: { type: ['string', 'null'] } } }), [
    '!reply[].text may be null',
  ]);
  assert.equal(told({ replies: { '200 text/plain': text } }), [
    '!reply 200 application/json is gone',
    'may reply 200 text/plain',
  ]);
  assert.equal(told({ errors: ['notes_locked'] }), ['may fail with notes_locked', 'does not fail with notes_full']);
});

test('operations and names of schemas stay', () => {
  const gone = changesBetween(OLD, { schemas: ['Memo'], operations: { 'PUT /memos': PUT } });
  assert.equal(
    gone.map(({ where, what, isBreaking }) => `${isBreaking ? '!' : ''}${where} ${what}`),
    ['PUT /memos is new', '!PUT /notes is gone', '!Note is no schema any more', 'Memo is a new schema'],
  );
  const notes = '- other\n- **Breaking:** notes are memos now: `PUT\n  /notes`\n- `Note`\n';
  assert.equal(pick(unannounced(gone, notes), 'where'), ['Note']);
});
