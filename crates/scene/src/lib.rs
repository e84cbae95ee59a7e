//! scene
mod scene; mod schema;
pub use scene::*; pub use schema::schema;
#[cfg(test)] mod t { #[test] fn p() { println!("{}", serde_json::to_string_pretty(&crate::schema()).unwrap());
 let t = "# x\n[world]\nspacing=1\nkernel.gauss = {a=1}\n[[bodies]]\nname = \"é\"\nshape.box={min=[1,2]}\n[[bodies]]\n[materials.\"a b\"]\ndensity=1_000\n[pressure.wcsph]\n";
 let d = toml::de::DeTable::parse(t).unwrap();
 fn show(k: &str, v: &toml::Spanned<toml::de::DeValue>, t:&str, ks: std::ops::Range<usize>) { println!("{k}: key {:?} val {:?}", &t[ks], &t[v.span()]);
  match v.get_ref() { toml::de::DeValue::Table(m) => for (k,v) in m { show(k.get_ref(), v, t, k.span()) }, toml::de::DeValue::Array(a) => for (i,v) in a.iter().enumerate() { show(&i.to_string(), v, t, v.span()) }, _=>{} } }
 for (k,v) in d.get_ref() { show(k.get_ref(), v, t, k.span()) }
 for bad in ["[world\nspacing=1","name = cube","a = ","a = 1\na = 2\n","x = \"abc\n","[a]\n[a]\n","a = [1,2\nb=3\n", "= 3", "a b = 1", "a = 1 b = 2", "a=1.2.3", "a = 01", "{", "a = tru", "a.b=1\na.b.c=2"] { for e in toml::de::DeTable::parse_recoverable(bad).1 { println!("{bad:?}: {} {:?}", e.message(), e.span()); } }
 } }
