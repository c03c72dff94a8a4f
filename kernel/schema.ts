/**
 * TypeBox, for the schemas of routes and configurations: plain JSON Schema, and the static type that follows from it.
 * Plugins import it from here, so that one folder owns the package.
 */
export { Type } from '@sinclair/typebox';
export type { Static, TObject, TSchema } from '@sinclair/typebox';
