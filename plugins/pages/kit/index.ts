/** What areas build their pages of. */
export { api, ApiError, ask, pathOf, send, type ReplyOf, type Route } from './api.ts';
export { defineArea, type Area, type Found } from './area.ts';
export { at } from './base-path.ts';
export { Button, Choices, CopyButton } from './button.tsx';
export { Badge, Card, PageHead } from './card.tsx';
export { ConfirmDialog, Dialog } from './dialog.tsx';
export { Answer, Empty, ErrorPanel, Panel, Skeleton } from './feedback.tsx';
export { Field, PasswordField, SearchInput, Select } from './field.tsx';
export { Icon, type IconName } from './icon.tsx';
export { bytes, dateTime, language, LANGUAGES, number, percent, t, textOr, useLanguage } from './i18n.ts';
export { Bar, levelOf, Meter } from './meter.tsx';
export { changed, useQuery, type Query } from './query.ts';
export { logOut, mayUse, refreshSession, session } from './session.ts';
export { Paging, Table, type Column } from './table.tsx';
export { withProof } from './proof.tsx';
export { parseTime, Time } from './time.tsx';
export { errorText, toast, toastError } from './toasts.tsx';
