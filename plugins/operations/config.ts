import type { CommandGroup } from '../../kernel/contract/command.ts';
import { textTable } from '../../kernel/kit/format.ts';
import { configFaults, type ConfigFault } from './config-faults.ts';
import { editorSchema } from './editor-schema.ts';
import { settingsReference, settingsRows } from './settings-reference.ts';

/** `hostkeep config check | show | schema | reference` */
export const configCommands: CommandGroup = {
  name: 'config',
  summary: 'check and describe the configuration',
  commands: [
    {
      usage: 'check',
      summary: 'print all faults with file, line and column; the exit code is 1 if there are any',
      async run({ configuration }) {
        const { files, faults } = await configFaults(configuration);
        const valid =
          files.length === 0 ? 'there is no configuration file; the defaults hold' : `${files.join(', ')}: valid`;
        const text = faults.length === 0 ? valid : faults.map(faultLine).join('\n');
        return { value: { files, faults }, text, isFailure: faults.length > 0 };
      },
    },
    {
      usage: 'show',
      summary: 'print all settings in effect, and what set each; secrets are masked',
      async run({ configuration }) {
        const all = await configuration.effective();
        const settings = all
          .filter(({ value, origin }) => value !== null || origin !== 'default')
          .map(({ setting, value, origin }) => ({ setting, value, origin }));
        const rows = settings.map(({ setting, value, origin }) => [setting, JSON.stringify(value), origin]);
        return { value: settings, text: textTable(['SETTING', 'VALUE', 'SET BY'], rows) };
      },
    },
    {
      usage: 'schema',
      summary: 'print a JSON Schema of the whole configuration, for editors',
      async run({ configuration }) {
        const schema = editorSchema(await configuration.schemas());
        return { value: schema, text: JSON.stringify(schema, undefined, 2) };
      },
    },
    {
      usage: 'reference',
      summary: 'print all settings with type, default and description, in Markdown',
      async run({ configuration }) {
        const { shipped } = configuration;
        const schemas = await configuration.schemas();
        return { value: settingsRows(schemas, shipped), text: settingsReference(schemas, shipped) };
      },
    },
  ],
};

function faultLine({ source, line, column, setting, message }: ConfigFault): string {
  const place = line === undefined ? source : `${source}:${line}:${column}`;
  return `${place}: ${setting === '' ? '' : `${setting} `}${message}`;
}
