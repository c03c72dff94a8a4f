/**
 * What a customer `ann` has on a server: several engines, odd names and contents, all kinds of objects, and users of several
 * kinds. `report` has rights elsewhere, too, and is not ann's.
 */
export const ANN = String.raw`
  create database ann_shop character set latin1 collate latin1_german1_ci;
  create database ${'`ann_o``dd\n "n\'ame€`'}; create database ann_empty; create database ann_old;
  create database zoo; create table zoo.animals (name text); insert into zoo.animals values ('ape');
  create user ann@localhost identified by 'it''s "secret" #1';
  create user ann@127.0.0.1 identified by 'other' with max_queries_per_hour 500;
  create user reader@localhost identified by 'reads';
  create user locked@localhost identified by 'secret' account lock;
  create user report@localhost identified by 'x'; create user ann_idle@localhost identified by 'no rights yet';
  grant all on ${'`ann\\_%`'}.* to ann@localhost; grant select, insert on ${'`ann\\_shop`'}.* to ann@127.0.0.1 with grant option;
  grant all on ${'`ann\\_old`'}.* to locked@localhost;
  grant select on ${'`ann\\_shop`'}.* to report@localhost; grant select on zoo.* to report@localhost;
  set sql_mode = '';
  use ${'`ann_o``dd\n "n\'ame€`'};
  create table ${"`x'); -- \\\\\n\\! touch ``never`"} (${'`c``ol\n€`'} int primary key, b bit(3), g point) engine=innodb;
  insert into ${"`x'); -- \\\\\n\\! touch ``never`"} values (1, b'101', point(1, 2));
  use ann_shop;
  create table orders (id int auto_increment primary key, body text character set utf8mb4, raw blob, at timestamp null,
    amount double, due date, twice int generated always as (id * 2) virtual) engine=innodb;
  insert into orders (body, raw, at, amount, due) values
    ('Grüße 🎉', unhex('00ff0a5c27220d1a'), '2020-01-01 12:00:00', 0.1, '0000-00-00'),
    ('\\! touch /tmp/never', '\n\\! id\n', null, 1e300, null);
  create table items (id int primary key, order_id int,
    constraint of_order foreign key (order_id) references orders (id) on delete cascade) engine=innodb;
  insert into items values (1, 1), (2, 2);
  create table entries (id int auto_increment primary key, t varchar(20)) engine=myisam auto_increment=1000;
  insert into entries (t) values ('a');
  create table pages (id int primary key, t varchar(20), fulltext key (t)) engine=aria; insert into pages values (1, 'aria');
  create table memo (id int) engine=memory; insert into memo values (1);
  create table parts (id int) partition by hash (id) partitions 3; insert into parts values (1), (2), (3);
  create sequence numbers; do nextval(numbers);
  grant select (id), references on orders to reader@localhost; grant select on items to reader@localhost;
  create definer = ann@localhost sql security invoker view z_view as select count(*) as n from items;
  delimiter $
  create definer = ann@localhost function one() returns int deterministic return 1$
  create definer = ann@localhost procedure fill(in n int) begin
    declare i int default 0; -- \! id
    while i < n do insert into entries (t) values ("it's"); set i = i + 1; end while;
  end$
  create definer = ann@localhost trigger first_one before insert on entries for each row set new.t = concat(new.t, '1')$
  create definer = ann@localhost trigger second_one before insert on entries for each row follows first_one set new.t = concat(new.t, '2')$
  create definer = ann@localhost event later on schedule every 1 year starts '2037-01-01 00:00:00' do insert into entries (t) values ('event')$
  create definer = ann@localhost event never on schedule every 1 day disable do delete from entries$
  delimiter ;
  create definer = ann@localhost view a_view as select one() as n from z_view;
  grant select on a_view to reader@localhost; grant execute on procedure fill to reader@localhost;
`;
