// Turns a row of a raw query into an entity for reading.
import type { EntityDictionary, EntityName, EntityProperty } from '@mikro-orm/core';
import type { Em } from './orm.ts';

interface Column {
  property: string;
  name: string;
  /** Turns a value of the driver, which is not null, into that of the property. */
  read: (value: unknown) => unknown;
}

/** By the metadata of the entity. */
const known = new WeakMap<object, readonly Column[]>();

/**
 * A row as an entity for reading: the ORM does not manage it, so changes of it are not stored. A managed one (`em.map`) takes eight
 * times as long, a quarter of a millisecond for an item, which every claim and every decision would pay several times. Properties
 * of columns that the row does not have are missing.
 */
export function entityFromRow<E extends object>(em: Em, name: EntityName<E>, row: EntityDictionary<E>): E {
  const values = row as Readonly<Record<string, unknown>>;
  const entity: Record<string, unknown> = {};
  for (const { property, name: column, read } of columnsOf(em, name)) {
    const value = values[column];
    if (value !== undefined) entity[property] = value === null ? null : read(value);
  }
  return entity as E;
}

function columnsOf<E extends object>(em: Em, name: EntityName<E>): readonly Column[] {
  const metadata = em.getMetadata(name);
  const columns = known.get(metadata) ?? metadata.props.flatMap((property) => columnOf(em, property));
  known.set(metadata, columns);
  return columns;
}

function columnOf<E extends object>(em: Em, property: EntityProperty<E>): Column[] {
  const [name] = property.fieldNames;
  return name === undefined ? [] : [{ property: property.name, name, read: readerOf(em, property) }];
}

/** The driver returns times as text (`forceUtcTimezone`). */
function readerOf<E extends object>(em: Em, { runtimeType, customType }: EntityProperty<E>): Column['read'] {
  if (runtimeType === 'Date') return (value) => new Date(value as string);
  const platform = em.getPlatform();
  return customType ? (value) => customType.convertToJSValue(value, platform) as unknown : (value) => value;
}
