//! The one way to declare parameters.

/// Declares parameters: a struct of them, or an enum to choose one of.
///
/// ```text
/// parameters! {
///     /// A fluid.
///     pub struct Water {
///         /// How dense it is [kg/m^3].                 the text, with the unit of a number in brackets
///         density: Real = 1000.0, LIMITS;               a number
///         tension: bool = false;                        a choice, of which every value makes sense
///         viscosity: Viscosity = LIKE_OIL => group;     parameters of their own; `flat` if they share the names of these
///         period: [Real; 2] = ENDS => check_period;     checked by hand: self.check_period(name, value, check)
///     }
/// }
/// ```
///
/// A scene may leave any of them out, unless the struct has a serde attribute of its own. It has a `Default` if every
/// parameter has. A variant holds parameters, a number as in `Fixed(Real) in LIMITS`, or nothing; the default of an enum is
/// named as in `pub enum Pressure = Wcsph`.
macro_rules! parameters {
    ($(#[doc = $about:tt])+ pub struct $name:ident $fields:tt) => {
        $crate::parameters::parameters! {
            $(#[doc = $about])+ #[serde(default, deny_unknown_fields)] pub struct $name $fields
        }
    };
    ($(#[doc = $about:tt])+ pub enum $name:ident $(= $usual:ident)? {$($variants:tt)+}) => {
        $crate::parameters::parameters! {
            $(#[doc = $about])+ #[serde(rename_all = "snake_case", deny_unknown_fields)]
            pub enum $name $(= $usual)? {$($variants)+}
        }
    };
    ($(#[doc = $about:tt])+ #[derive($($derive:tt)+)] pub struct $name:ident $fields:tt) => {
        $crate::parameters::parameters! { @struct [$(#[doc = $about])+ #[derive($($derive)+)]] $name $fields }
    };
    (
        $(#[doc = $about:tt])+ $(#[serde($($serde:tt)+)])? $(#[cfg_attr($($schema:tt)+)])?
        pub struct $name:ident $fields:tt
    ) => {
        $crate::parameters::parameters! {
            @struct [
                $(#[doc = $about])+
                #[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
                #[cfg_attr(
                    feature = "schema",
                    derive(schemars::JsonSchema),
                    schemars(transform = $crate::parameters::limits_into_schema::<$name>)
                )]
                $(#[serde($($serde)+)])? $(#[cfg_attr($($schema)+)])?
            ]
            $name $fields
        }
    };
    (@struct [$(#[$attribute:meta])+] $name:ident {$(
        $(#[doc = $text:tt])+ $(#[serde($($serde:tt)+)])?
        $field:ident: $type:ty $(= $default:expr)? $(, $limits:expr)? $(=> $rule:ident)?;
    )*}) => {
        $(#[$attribute])+
        pub struct $name {
            $($(#[doc = $text])+ $(#[serde($($serde)+)])? pub $field: $type,)*
        }

        $crate::parameters::parameters! { @default $name {$($field $(= $default)?;)*} }

        impl $crate::parameters::Parameters for $name {
            const DECLARED: &'static [$crate::parameters::Parameter] = &[$(
                $crate::parameters::Parameter::new(stringify!($field), concat!($($text),+))
                    $(.within($limits))?
                    $(.holding($crate::parameters::parameters!(@parts $rule $type)))?,
            )*];

            fn check(&self, check: &mut $crate::parameters::Check) {
                $(
                    $($crate::parameters::Quantity::show(&self.$field, stringify!($field), $limits, check);)?
                    $($crate::parameters::parameters!(@follow $rule self.$field, check);)?
                )*
            }
        }
    };
    (@default $name:ident {$($field:ident = $default:expr;)*}) => {
        impl Default for $name {
            fn default() -> Self {
                $name { $($field: $default),* }
            }
        }
    };
    (@default $name:ident $without:tt) => {};
    (@parts group $type:ty) => { <$type as $crate::parameters::Parameters>::DECLARED };
    (@parts flat $type:ty) => { <$type as $crate::parameters::Parameters>::DECLARED };
    (@parts $by_hand:ident $type:ty) => { &[] };
    (@follow group $self:ident.$field:ident, $check:ident) => { $check.group(stringify!($field), &$self.$field) };
    (@follow flat $self:ident.$field:ident, $check:ident) => {
        $crate::parameters::Parameters::check(&$self.$field, $check)
    };
    (@follow $by_hand:ident $self:ident.$field:ident, $check:ident) => {
        $self.$by_hand(stringify!($field), &$self.$field, $check)
    };
    (
        $(#[doc = $about:tt])+ #[serde($($serde:tt)+)] pub enum $name:ident $(= $usual:ident)?
        {$($(#[doc = $text:tt])+ $variant:ident $(($type:ty) $(in $limits:expr)?)?,)+}
    ) => {
        $(#[doc = $about])+
        #[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        #[serde($($serde)+)]
        pub enum $name {
            $($(#[doc = $text])+ $variant $(($type))?,)+
        }

        $(
            impl Default for $name {
                fn default() -> Self {
                    $name::$usual(Default::default())
                }
            }
        )?

        impl $crate::parameters::Parameters for $name {
            const DECLARED: &'static [$crate::parameters::Parameter] = &[$(
                $crate::parameters::parameters!(
                    @variant [stringify!($variant), concat!($($text),+)] $($type $(, $limits)?)?
                ),
            )+];

            fn check(&self, check: &mut $crate::parameters::Check) {
                $($(
                    if let $name::$variant(value) = self {
                        $crate::parameters::parameters!(@look check, $variant, value $(, $limits)?);
                    }
                )?)+
            }
        }
    };
    (@variant [$($about:expr),+]) => { $crate::parameters::Parameter::new($($about),+) };
    (@variant [$($about:expr),+] $type:ty) => {
        $crate::parameters::Parameter::new($($about),+).holding(<$type as $crate::parameters::Parameters>::DECLARED)
    };
    (@variant [$($about:expr),+] $type:ty, $limits:expr) => {
        $crate::parameters::Parameter::new($($about),+).within($limits)
    };
    (@look $check:ident, $variant:ident, $value:ident) => { $check.group(stringify!($variant), $value) };
    (@look $check:ident, $variant:ident, $value:ident, $limits:expr) => {
        $crate::parameters::Quantity::show($value, stringify!($variant), $limits, $check)
    };
}
pub(crate) use parameters;

/// A field together with its name.
macro_rules! named {
    ($self:ident.$field:ident) => {
        (stringify!($field), $self.$field)
    };
}
pub(crate) use named;
