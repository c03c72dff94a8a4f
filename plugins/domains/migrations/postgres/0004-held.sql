alter table domains add column held_at bigint;  -- since when an operator has it suspended, milliseconds since 1970; null = not
