import { ofNode } from '../../kernel/contract/forwarding.ts';
import { NamedObject, Type, type Static } from '../../kernel/schema.ts';

const closed = { additionalProperties: false } as const;

export const SettingsConfig = Type.Object(
  {
    editable: Type.Array(Type.String({ pattern: '^[a-z*][a-zA-Z0-9_.*-]*$', maxLength: 200 }), {
      maxItems: 200,
      default: [],
      description:
        'Settings that administrators may change in the console, such as token.ttl_seconds or search.*; * matches anything. Each process lays these over the files',
    }),
  },
  closed,
);
export type SettingsConfig = Static<typeof SettingsConfig>;

export const NodeQuery = Type.Object(ofNode);
const Nullable = (description: string) => Type.Union([Type.String(), Type.Null()], { description });
const Path = Type.String({ description: 'Path in the configuration: tls.cert' });
const Etag = Type.String({ description: 'Another one after each change; for If-Match' });

const SettingView = NamedObject('EffectiveSetting', {
  setting: Path,
  value: Type.Unknown({ description: 'Any JSON value; *** stands for a secret, and null for what is not set' }),
  origin: Type.String({ description: 'The file or the variable that set it, console, or default' }),
  schema: Type.Unknown({ description: 'JSON Schema of the value, with description and default' }),
  editable: Type.Boolean({ description: 'Whether it can be changed here' }),
  bond: Type.Union([Type.String({ enum: ['unlisted', 'secret', 'restart', 'rights', 'structure'] }), Type.Null()], {
    description:
      'Why it cannot: settings.editable does not name it; it is a secret; only a restart changes it; the process with ' +
      "root's rights goes by it; it says what there is to set. null if it can",
  }),
  stored: Type.Boolean({
    description: 'Whether a value is kept here, which is not in force if it does not fit any more',
  }),
  changed_by: Nullable('Who changed it here last, or gave it back to the files'),
  changed_at: Nullable('When; RFC 3339, UTC'),
  etag: Etag,
});
export type SettingView = Static<typeof SettingView>;
export const SettingList = NamedObject('SettingList', { settings: Type.Array(SettingView) });

export const SettingParams = Type.Object({
  setting: Type.String({ minLength: 1, maxLength: 200, description: 'Path in the configuration' }),
});
export const SettingBody = NamedObject(
  'SettingValue',
  { value: Type.Unknown({ description: 'As the schema of the setting says' }) },
  { ...closed, examples: [{ value: 7200 }] },
);
export const SettingChanged = NamedObject('SettingChanged', { setting: Path, changed: Type.Boolean(), etag: Etag });
export type SettingChanged = Static<typeof SettingChanged>;
